import type { Pool } from '../../core/contract/resources.ts';
import { listPages } from '../client/pages.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { listFlags, readLimit } from '../output/list-limit.ts';
import type { Table } from '../output/table.ts';

const poolTable: Table<Pool> = {
  name: (pool) => pool.name,
  columns: [
    { title: 'NAME', of: (pool) => pool.name },
    { title: 'POLICY', of: (pool) => pool.policy },
    { title: 'EDGES', of: (pool) => pool.edges, right: true },
    { title: 'CELLS', of: (pool) => pool.cells.length, right: true },
    { title: 'DESCRIPTION', of: (pool) => pool.description },
  ],
};

export const command = defineCommand({
  name: 'pool list',
  about: 'list pools',
  args: [],
  flags: { ...listFlags },
  examples: ['edgewise pool list'],
  async run({ flags, api, output }) {
    const page = await listPages<Pool>(api(), '/v1/pools', {}, readLimit(flags), flags.cursor);
    output.list(page, page.items, poolTable);
    return exitCode.ok;
  },
});
