import type { Queue } from '../../core/contract/resources.ts';
import { listPages } from '../client/pages.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { listFlags, readLimit } from '../output/list-limit.ts';
import type { Table } from '../output/table.ts';

const queueTable: Table<Queue> = {
  name: (queue) => queue.name,
  columns: [
    { title: 'NAME', of: (queue) => queue.name },
    { title: 'WEIGHT', of: (queue) => queue.weight, right: true },
    { title: 'ORDER', of: (queue) => (queue.strict ? 'strict' : 'free') },
    { title: 'QUOTA', of: (queue) => queue.quota ?? '-', right: true },
  ],
};

export const command = defineCommand({
  name: 'queue list',
  about: 'list queues',
  args: [],
  flags: { ...listFlags },
  examples: ['edgewise queue list'],
  async run({ flags, api, output }) {
    const page = await listPages<Queue>(api(), '/v1/queues', {}, readLimit(flags), flags.cursor);
    output.list(page, page.items, queueTable);
    return exitCode.ok;
  },
});
