import type { Job } from '../../core/contract/resources.ts';
import { isFinal } from '../../core/model/job.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { confirm, yesFlag } from '../input/confirmation.ts';
import { jobPath, withJob } from './input/job-reference.ts';

export const command = defineCommand({
  name: 'job cancel',
  about: 'cancel jobs: what waits is dropped at once, what runs is stopped on its edge',
  args: [{ name: 'JOB', noun: 'job', many: true }],
  flags: { ...yesFlag },
  examples: [
    'edgewise job cancel last',
    'edgewise job list -s pending -o name | xargs edgewise job cancel --yes',
  ],
  async run({ args, flags, api, output, terminal }) {
    const client = api();
    const jobs: Job[] = [];
    for (const reference of args) {
      const job = await withJob(client, reference, (id) => client.get<Job>(jobPath(id)));
      jobs.push(job);
    }
    const names = jobs.map((job) => job.name ?? job.id).join(', ');
    await confirm(terminal, flags.yes, `Cancel ${names}?`);
    const cancelled: Job[] = [];
    for (const { id } of jobs) {
      const { body } = await client.ask<Job | null>('DELETE', jobPath(id));
      cancelled.push(body ?? (await client.get<Job>(jobPath(id))));
    }
    const [only] = cancelled;
    if (cancelled.length === 1 && only !== undefined) {
      output.single(only, only.id, () => `${only.id} ${stateOf(only)}\n`);
    } else {
      const value = { items: cancelled, nextCursor: null };
      output.list(value, cancelled, {
        name: (job) => job.id,
        columns: [
          { title: 'ID', of: (job) => job.id },
          { title: 'STATE', of: stateOf, state: true },
        ],
      });
    }
    return exitCode.ok;
  },
});

/** What runs is stopped on its edge, which takes a moment; until then the API says "running". */
function stateOf({ status }: Job): string {
  return isFinal(status.state) ? status.state : 'stopping';
}
