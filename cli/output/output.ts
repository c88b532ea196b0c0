import { stringify } from 'yaml';
import type { Terminal } from '../terminal.ts';
import { formatCsv } from './csv.ts';
import { type Column, formatColumns, type Table } from './table.ts';
import { shapeList, type TableShape } from './table-shape.ts';

export type Format = 'table' | 'wide' | 'csv' | 'json' | 'yaml' | 'name';

/**
 * One answer in the format the user asked for. `json` and `yaml` are the API's own value, whole and
 * only once: scripts rely on it. `name` is one identifier a line, for `xargs`, `csv` every column
 * of a list. A list that is not whole says so on stderr.
 */
export type Output = {
  readonly format: Format;
  readonly colour: boolean;
  list<T>(value: unknown, items: readonly T[], table: Table<T>): void;
  /** The lines of a table for a person, as often as they are drawn. */
  lines<T>(items: readonly T[], table: Table<T>): string;
  /** `details` is what a person reads of a single thing. */
  single(value: unknown, name: string, details: () => string): void;
};

export function makeOutput(format: Format, terminal: Terminal, shape: TableShape): Output {
  const colour = usesColour(terminal);
  const machine = (value: unknown): boolean => {
    if (format === 'json') terminal.out(`${JSON.stringify(value, null, 2)}\n`);
    else if (format === 'yaml') terminal.out(stringify(value, { lineWidth: 0 }));
    else return false;
    return true;
  };
  const lines = <T>(items: readonly T[], table: Table<T>): string => {
    const shaped = shapeList(items, table, shape, format === 'wide');
    return formatColumns(shaped.items, shaped.columns, colour);
  };
  return {
    format,
    colour,
    lines,
    list: (value, items, table) => {
      if (machine(value)) return;
      const shaped = shapeList(items, table, shape, format !== 'table');
      if (format === 'name') {
        for (const item of shaped.items) terminal.out(`${table.name(item)}\n`);
      } else if (format === 'csv') {
        const titles = shaped.columns.map((column) => column.title.toLowerCase());
        const rows = shaped.items.map((item) =>
          shaped.columns.map((column) => plain(column, item)),
        );
        terminal.out(formatCsv([titles, ...rows]));
      } else terminal.out(lines(items, table));
      if (hasMore(value)) terminal.say(`The first ${items.length}. More: --limit N or --all`);
    },
    single: (value, name, details) => {
      if (machine(value)) return;
      terminal.out(format === 'name' ? `${name}\n` : details());
    },
  };
}

/** Ages and durations are seconds for a program, and what has no value is empty. */
function plain<T>(column: Column<T>, item: T): string | number {
  const key = column.by?.(item);
  const value =
    typeof key === 'number' && typeof column.of(item) === 'string' ? key : column.of(item);
  return value === '-' ? '' : value;
}

function hasMore(value: unknown): boolean {
  const { nextCursor } = value as { nextCursor?: string | null };
  return (nextCursor ?? null) !== null;
}

/** https://no-color.org, and none where nobody looks. */
export function usesColour(terminal: Terminal): boolean {
  return terminal.outIsTerminal && !terminal.env.NO_COLOR && terminal.env.TERM !== 'dumb';
}
