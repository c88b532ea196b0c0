import type { Job } from '../../core/contract/resources.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { jobPath, withJob } from './input/job-reference.ts';
import { awaitJob, readWait, sayEnding, waitFlags } from './job-ending.ts';

export const command = defineCommand({
  name: 'job retry',
  about: 'run the failed chunks of a job again',
  args: [{ name: 'JOB', noun: 'job' }],
  flags: { ...waitFlags },
  examples: ['edgewise job retry last --wait'],
  async run({ args, flags, api, output, terminal }) {
    const wait = readWait(flags);
    const client = api();
    const job = await withJob(client, args[0]!, async (id) => {
      const { id: whole } = await client.get<Job>(jobPath(id));
      const headers = { 'idempotency-key': crypto.randomUUID() };
      return (await client.ask<Job>('POST', jobPath(whole, '/retry'), { headers })).body;
    });
    if (wait === null) {
      output.single(job, job.id, () => `${job.id}\n`);
      return exitCode.ok;
    }
    const ending = await awaitJob(client, terminal, job.id, wait);
    output.single(ending.job, job.id, () => `${job.id}\n`);
    sayEnding(terminal, ending);
    return ending.code;
  },
});
