import type { Job } from '../../core/contract/resources.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { confirm, yesFlag } from '../input/confirmation.ts';
import { jobPath, withJob } from './input/job-reference.ts';

export const command = defineCommand({
  name: 'job purge',
  about: 'remove a finished job with its history and outputs',
  args: [{ name: 'JOB', noun: 'job' }],
  flags: { ...yesFlag },
  examples: ['edgewise job purge last --yes'],
  async run({ args, flags, api, output, terminal }) {
    const client = api();
    const job = await withJob(client, args[0]!, (id) => client.get<Job>(jobPath(id)));
    await confirm(terminal, flags.yes, `Remove job ${job.name ?? job.id} for good?`);
    await client.ask('DELETE', jobPath(job.id), { query: { purge: true } });
    output.single(job, job.id, () => `${job.id} removed\n`);
    return exitCode.ok;
  },
});
