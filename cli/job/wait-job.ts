import type { Job } from '../../core/contract/resources.ts';
import { defineCommand } from '../command.ts';
import { jobPath, withJob } from './input/job-reference.ts';
import { awaitJob, sayEnding, waitFlags, waitFor } from './job-ending.ts';
import { describeJob } from './job-view.ts';

export const command = defineCommand({
  name: 'job wait',
  about: 'wait until a job has ended; the exit code says how (7: it failed)',
  args: [{ name: 'JOB', noun: 'job' }],
  flags: {
    placed: {
      kind: 'switch',
      about: 'only until something of it is placed (8: nothing can run it now)',
    },
    timeout: waitFlags.timeout,
  },
  examples: ['edgewise job wait last --timeout 5m'],
  async run({ args, flags, api, output, terminal }) {
    const wait = waitFor(flags.placed ? 'placed' : 'done', flags.timeout);
    const client = api();
    const { id } = await withJob(client, args[0]!, (job) => client.get<Job>(jobPath(job)));
    const ending = await awaitJob(client, terminal, id, wait);
    const style = {
      colour: output.colour,
      wide: output.format === 'wide',
      nowMs: terminal.nowMs(),
    };
    output.single(ending.job, id, () => describeJob(ending.job, style));
    sayEnding(terminal, ending);
    return ending.code;
  },
});
