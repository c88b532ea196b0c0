import { cellRows } from '../../../adapters/dynamodb/schema.ts';
import type { Bug } from './bugs.ts';

/** Bugs in how the table is written, how its answers are read, and how its stream is. */
export const tableBugs: readonly Bug[] = [
  {
    name: 'row-forgets-an-attribute',
    sentence: 'how often chunks have failed is not in the row of their slice',
    row: (row) => (row.sk.startsWith(cellRows.slice) ? { ...row, retries: undefined } : row),
  },
  {
    name: 'row-forgets-a-lease',
    sentence: 'what an edge held when it was lost is not in its row',
    row: (row) =>
      row.sk.startsWith(cellRows.work)
        ? { ...row, leases: String(row.leases).replaceAll(/,"h":"[^"]*"/g, '') }
        : row,
  },
  {
    name: 'first-reason-for-all',
    sentence: 'whatever condition failed, the first write is taken for the one that was refused',
    outcome: (outcome) => (outcome.kind === 'refused' ? { ...outcome, failed: [0] } : outcome),
  },
  {
    name: 'contended-is-committed',
    sentence: 'a commit that met another transaction is taken for carried out',
    outcome: (outcome) => (outcome.kind === 'conflict' ? { kind: 'committed' } : outcome),
  },
  {
    name: 'pages-are-one-moment',
    sentence: 'a cell of several pages is read with an older intent beside a newer version',
    pages: (table) => ({
      ...table,
      query: async (request) => ({ rows: await table.queryAll(request), next: null }),
    }),
  },
  {
    name: 'child-shards-are-not-read',
    sentence: 'nobody reads the shards that a shard was split into',
    ignoresChildShards: true,
  },
  {
    name: 'batch-is-done-with-its-first',
    sentence: 'of the cells that a batch names only the first is looked at',
    records: (records) => records.slice(0, 1),
  },
];
