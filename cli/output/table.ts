import { paintState } from './colour.ts';

/** A table is columns over items; a column that only `wide` shows says so. */
export type Column<T> = {
  readonly title: string;
  of(item: T): string | number;
  /** What lines are sorted by, where the text does not tell: an age, a duration. */
  by?(item: T): string | number | null;
  readonly right?: true;
  readonly wide?: true;
  /** The text is a state and coloured as one. */
  readonly state?: true;
};

export type Table<T> = {
  readonly columns: readonly Column<T>[];
  name(item: T): string;
};

export function formatTable<T>(
  items: readonly T[],
  table: Table<T>,
  style: { wide: boolean; colour: boolean },
): string {
  const columns = table.columns.filter((column) => style.wide || column.wide !== true);
  return formatColumns(items, columns, style.colour);
}

export function formatColumns<T>(
  items: readonly T[],
  columns: readonly Column<T>[],
  colour: boolean,
): string {
  const cells = items.map((item) => columns.map((column) => clean(String(column.of(item)))));
  const widths = columns.map((column, i) =>
    Math.max(column.title.length, ...cells.map((row) => row[i]!.length)),
  );
  const line = (texts: readonly string[], paint: boolean): string =>
    texts
      .map((text, i) => {
        const padded = columns[i]!.right ? text.padStart(widths[i]!) : text.padEnd(widths[i]!);
        return paint && columns[i]!.state ? paintState(text, padded, colour) : padded;
      })
      .join('  ')
      .trimEnd();
  const lines = [
    line(
      columns.map((column) => column.title),
      false,
    ),
    ...cells.map((row) => line(row, true)),
  ];
  return `${lines.join('\n')}\n`;
}

/** Names and texts of others must not move the cursor of the reader. */
export function clean(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed
  return text.replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ');
}

/** `name  value` lines of a single thing; an empty value leaves its line out. */
export function formatFields(
  fields: readonly (readonly [string, string | number | null])[],
): string {
  const shown = fields.filter(([, value]) => value !== null && value !== '');
  const width = Math.max(...shown.map(([name]) => name.length));
  return shown.map(([name, value]) => `${name.padEnd(width)}  ${clean(String(value))}\n`).join('');
}

/** `a=1, b=2`; `-` for none. */
export function formatPairs(pairs: Readonly<Record<string, unknown>> | null | undefined): string {
  const entries = Object.entries(pairs ?? {}).filter(([, value]) => value !== null);
  if (entries.length === 0) return '-';
  return entries.map(([key, value]) => `${key}=${String(value)}`).join(', ');
}
