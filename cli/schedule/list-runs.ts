import type { ScheduleRun } from '../../core/contract/resources.ts';
import { listPages } from '../client/pages.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { listFlags, readLimit } from '../output/list-limit.ts';
import type { Table } from '../output/table.ts';
import { schedulePath } from './schedule-view.ts';

const runTable: Table<ScheduleRun> = {
  name: (run) => run.job ?? '-',
  columns: [
    { title: 'TIME', of: (run) => run.at },
    { title: 'OUTCOME', of: (run) => run.outcome },
    { title: 'JOB', of: (run) => run.job ?? '-' },
    { title: 'DETAIL', of: (run) => run.detail || '-' },
  ],
};

export const command = defineCommand({
  name: 'schedule runs',
  about: 'what became of its times, newest first',
  args: [{ name: 'NAME', noun: 'text' }],
  flags: { ...listFlags },
  examples: ['edgewise schedule runs nightly'],
  async run({ args, flags, api, output }) {
    const path = schedulePath(args[0]!, '/runs');
    const page = await listPages<ScheduleRun>(api(), path, {}, readLimit(flags), flags.cursor);
    output.list(page, page.items, runTable);
    return exitCode.ok;
  },
});
