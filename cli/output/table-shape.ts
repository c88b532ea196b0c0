import { usage } from '../failure.ts';
import type { Column, Table } from './table.ts';

/**
 * How a list is laid out beside its format: which columns, in which order of lines. Columns are
 * named as their titles are, in either case.
 */
export const shapeFlags = {
  sort: {
    kind: 'text',
    value: 'COLUMN[:desc]',
    about: 'order what is listed by a column',
    rare: true,
  },
  columns: {
    kind: 'text',
    value: 'A,B',
    about: 'only these columns, of all that wide has',
    rare: true,
  },
} as const;

export type TableShape = {
  readonly sort: string | undefined;
  readonly columns: string | undefined;
};

export type ShapedList<T> = {
  readonly items: readonly T[];
  readonly columns: readonly Column<T>[];
};

/** Without a choice of columns those that `wide` adds come only if it is. */
export function shapeList<T>(
  items: readonly T[],
  table: Table<T>,
  shape: TableShape,
  wide: boolean,
): ShapedList<T> {
  const columns =
    shape.columns === undefined
      ? table.columns.filter((column) => wide || column.wide !== true)
      : shape.columns.split(',').map((title) => findColumn(table, title, 'columns'));
  return { columns, items: shape.sort === undefined ? items : sortBy(items, table, shape.sort) };
}

function sortBy<T>(items: readonly T[], table: Table<T>, sort: string): readonly T[] {
  const [title = '', direction = 'asc', ...more] = sort.split(':');
  if (more.length > 0 || !['asc', 'desc'].includes(direction)) {
    throw usage(`--sort ${sort} is not understood.`, 'Write --sort COLUMN or --sort COLUMN:desc.');
  }
  const column = findColumn(table, title, 'sort');
  const sign = direction === 'desc' ? -1 : 1;
  const keyed = items.map((item) => ({ item, key: (column.by ?? column.of)(item) }));
  return keyed
    .sort((a, b) => {
      // What has no value is last whichever way the others are.
      if (isNone(a.key) || isNone(b.key)) return Number(isNone(a.key)) - Number(isNone(b.key));
      return sign * compare(a.key, b.key);
    })
    .map(({ item }) => item);
}

type Key = string | number | null;

const isNone = (key: Key): key is null => key === null || key === '' || key === '-';

const words = new Intl.Collator('en', { numeric: true });

function compare(a: string | number, b: string | number): number {
  return typeof a === 'number' && typeof b === 'number'
    ? a - b
    : words.compare(String(a), String(b));
}

function findColumn<T>(table: Table<T>, title: string, flag: string): Column<T> {
  const wanted = title.trim().toLowerCase();
  const found = table.columns.find((column) => column.title.toLowerCase() === wanted);
  if (found !== undefined) return found;
  const known = table.columns.map((column) => column.title.toLowerCase()).join(', ');
  throw usage(`--${flag}: there is no column "${title}".`, `There are: ${known}`);
}
