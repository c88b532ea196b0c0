import type { JobEvent } from '../../core/contract/resources.ts';
import { listPages } from '../client/pages.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { listFlags, readLimit } from '../output/list-limit.ts';
import type { Table } from '../output/table.ts';
import { jobPath, withJob } from './input/job-reference.ts';

const eventTable: Table<JobEvent> = {
  name: (event) => event.kind,
  columns: [
    { title: 'TIME', of: (event) => event.at },
    { title: 'EVENT', of: (event) => event.kind },
    { title: 'BY', of: (event) => event.by },
    { title: 'DETAIL', of: (event) => event.detail },
  ],
};

export const command = defineCommand({
  name: 'job events',
  about: 'the timeline of a job, oldest first',
  args: [{ name: 'JOB', noun: 'job' }],
  flags: { ...listFlags },
  examples: ['edgewise job events last'],
  async run({ args, flags, api, output }) {
    const client = api();
    const page = await withJob(client, args[0]!, (id) =>
      listPages<JobEvent>(client, jobPath(id, '/events'), {}, readLimit(flags), flags.cursor),
    );
    output.list(page, page.items, eventTable);
    return exitCode.ok;
  },
});
