import { expect, test } from 'vitest';
import type { Table } from '../../../cli/output/table.ts';
import { shapeList } from '../../../cli/output/table-shape.ts';

type Row = { readonly name: string; readonly n: number | null; readonly seconds: number };

const table: Table<Row> = {
  name: (row) => row.name,
  columns: [
    { title: 'NAME', of: (row) => row.name },
    { title: 'N', of: (row) => row.n ?? '-' },
    { title: 'AGE', of: (row) => `${row.seconds}s`, by: (row) => row.seconds, wide: true },
  ],
};
const rows: readonly Row[] = [
  { name: 'edge-10', n: 2, seconds: 100 },
  { name: 'edge-9', n: null, seconds: 20 },
  { name: 'edge-2', n: 10, seconds: 3 },
];
const names = (sort: string) =>
  shapeList(rows, table, { sort, columns: undefined }, false).items.map((row) => row.name);

test('numbers in names count as numbers', () => {
  expect(names('name')).toEqual(['edge-2', 'edge-9', 'edge-10']);
  expect(names('name:desc')).toEqual(['edge-10', 'edge-9', 'edge-2']);
});

test('what has no value is last, whichever way', () => {
  expect(names('n')).toEqual(['edge-10', 'edge-2', 'edge-9']);
  expect(names('n:desc')).toEqual(['edge-2', 'edge-10', 'edge-9']);
});

test('an age is sorted by its length, not by its text, and may be hidden', () => {
  expect(names('age')).toEqual(['edge-2', 'edge-9', 'edge-10']);
});

test('columns come in the order in which they are named, hidden ones too', () => {
  const shape = { sort: undefined, columns: 'age,Name' };
  const { columns } = shapeList(rows, table, shape, false);
  expect(columns.map((column) => column.title)).toEqual(['AGE', 'NAME']);
});

test.each(['constructor', '', 'name,'])('there is no column "%s"', (columns) => {
  expect(() => shapeList(rows, table, { sort: undefined, columns }, false)).toThrow('no column');
});
