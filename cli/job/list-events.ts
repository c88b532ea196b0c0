import { listPages } from '../client/pages.ts';
import type { JobEvent } from '../client/resources.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { limitFlags, readLimit } from '../output/list-limit.ts';
import type { Table } from '../output/table.ts';
import { jobPath, withJob } from './job-reference.ts';

const plain = new Set(['at', 'time', 'kind', 'type', 'event']);

const eventTable: Table<JobEvent> = {
  name: (event) => String(event.kind ?? event.type ?? event.event ?? ''),
  columns: [
    { title: 'TIME', of: (event) => event.at ?? event.time ?? '-' },
    { title: 'EVENT', of: (event) => String(event.kind ?? event.type ?? event.event ?? '-') },
    { title: 'DETAIL', of: detailText },
  ],
};

function detailText(event: JobEvent): string {
  return Object.entries(event)
    .filter(([name, value]) => !plain.has(name) && value !== null && value !== '')
    .map(([name, value]) => `${name}=${typeof value === 'object' ? JSON.stringify(value) : value}`)
    .join(' ');
}

export const command = defineCommand({
  name: 'job events',
  about: 'the timeline of a job, oldest first',
  args: [{ name: 'JOB', noun: 'job' }],
  flags: { ...limitFlags },
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
