import { listPages } from '../client/pages.ts';
import type { Execution } from '../client/resources.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { limitFlags, readLimit } from '../output/list-limit.ts';
import type { Table } from '../output/table.ts';
import { edgePath } from './edge-view.ts';

type EdgeJob = Execution & { readonly job?: string; readonly id?: string };

const historyTable: Table<EdgeJob> = {
  name: (one) => one.job ?? one.id ?? '',
  columns: [
    { title: 'JOB', of: (one) => one.job ?? one.id ?? '-' },
    { title: 'CHUNKS', of: (one) => one.chunks || '-' },
    { title: 'POWER', of: (one) => one.power ?? '-', right: true },
    { title: '%', of: (one) => one.percent ?? '-', right: true },
    { title: 'STARTED', of: (one) => one.startedAt ?? '-' },
    { title: 'ENDED', of: (one) => one.endedAt ?? '-' },
  ],
};

export const command = defineCommand({
  name: 'edge jobs',
  about: 'the history of work on an edge',
  args: [{ name: 'EDGE', noun: 'edge' }],
  flags: { ...limitFlags },
  examples: ['edgewise edge jobs edge-10'],
  async run({ args, flags, api, output }) {
    const path = edgePath(args[0]!, '/jobs');
    const page = await listPages<EdgeJob>(api(), path, {}, readLimit(flags), flags.cursor);
    output.list(page, page.items, historyTable);
    return exitCode.ok;
  },
});
