import type { EdgeJob } from '../../core/contract/resources.ts';
import { listPages } from '../client/pages.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { listFlags, readLimit } from '../output/list-limit.ts';
import type { Table } from '../output/table.ts';
import { edgePath } from './edge-view.ts';

const historyTable: Table<EdgeJob> = {
  name: (one) => one.job,
  columns: [
    { title: 'JOB', of: (one) => one.job },
    { title: 'NAME', of: (one) => one.name ?? '-' },
    { title: 'STATE', of: (one) => one.state ?? '-', state: true },
    { title: 'CHUNKS', of: (one) => one.execution.chunks || '-' },
    { title: 'POWER', of: (one) => one.execution.power, right: true },
    { title: '%', of: (one) => one.execution.percent, right: true },
    { title: 'STARTED', of: (one) => one.execution.startedAt ?? '-', wide: true },
    { title: 'ENDED', of: (one) => one.execution.endedAt ?? '-', wide: true },
  ],
};

export const command = defineCommand({
  name: 'edge jobs',
  about: 'the history of work on an edge',
  args: [{ name: 'EDGE', noun: 'edge' }],
  flags: { ...listFlags },
  examples: ['edgewise edge jobs edge-10'],
  async run({ args, flags, api, output }) {
    const path = edgePath(args[0]!, '/jobs');
    const page = await listPages<EdgeJob>(api(), path, {}, readLimit(flags), flags.cursor);
    output.list(page, page.items, historyTable);
    return exitCode.ok;
  },
});
