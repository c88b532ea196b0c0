import { expect, test } from 'vitest';
import { formatCsv } from '../../../cli/output/csv.ts';

test('lines end as RFC 4180 has them, and what would break one is in quotes', () => {
  expect(
    formatCsv([
      ['name', 'note'],
      ['edge-1', 'a, b'],
      ['edge-2', 'said "no"\nand left'],
      ['edge-3', 7],
    ]),
  ).toBe('name,note\r\nedge-1,"a, b"\r\nedge-2,"said ""no""\nand left"\r\nedge-3,7\r\n');
});
