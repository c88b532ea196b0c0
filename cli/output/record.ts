import { formatFields } from './table.ts';

/** Settings as they are: one line a field. */
export function describeRecord(record: Readonly<Record<string, unknown>>): string {
  return formatFields(
    Object.entries(record).map(([key, value]) => [
      key,
      typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '-'),
    ]),
  );
}
