import type { Row, Table } from '../table.ts';

/**
 * What a row says, or `null` when it cannot be read: the one place where a decoder that throws
 * becomes a value. Whoever asks says what stands still for it; nothing else does.
 */
export function readable<T>(row: Row, decode: (row: Row) => T): T | null {
  try {
    return decode(row);
  } catch {
    return null;
  }
}

/** The same for a row of a list, which is reported to whoever runs the system and left out. */
export function readableOrReported<T>(
  table: Pick<Table, 'reportUnreadable'>,
  row: Row,
  decode: (row: Row) => T,
): T | null {
  const read = readable(row, decode);
  if (read === null) table.reportUnreadable(row);
  return read;
}

/** Those of the rows that can be read. */
export function readableRows<T>(
  table: Pick<Table, 'reportUnreadable'>,
  rows: readonly Row[],
  decode: (row: Row) => T,
): T[] {
  const found: T[] = [];
  for (const row of rows) {
    const read = readableOrReported(table, row, decode);
    if (read !== null) found.push(read);
  }
  return found;
}
