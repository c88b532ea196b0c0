import type { Job } from '../../core/contract/resources.ts';
import { isFinal } from '../../core/model/job.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { watchView } from '../output/live-view.ts';
import { readEveryMs, watchFlags } from '../output/watch-flags.ts';
import { findJobId, jobPath, withJob } from './input/job-reference.ts';
import { describeJob } from './job-view.ts';

export const command = defineCommand({
  name: 'job get',
  about: 'show a job: state, executions per edge, what it waits for',
  args: [{ name: 'JOB', noun: 'job' }],
  flags: { ...watchFlags },
  examples: ['edgewise job get last', 'edgewise job get last -o json'],
  async run({ args, flags, api, output, terminal }) {
    const client = api();
    const style = { colour: output.colour, wide: output.format === 'wide' };
    const describe = (job: Job): string => describeJob(job, { ...style, nowMs: terminal.nowMs() });
    if (flags.watch) {
      const id = await findJobId(client, args[0]!);
      await watchView(terminal, readEveryMs(flags, output), async () => {
        const job: Job = await client.get(jobPath(id));
        return { text: describe(job), last: isFinal(job.status.state) };
      });
      return exitCode.ok;
    }
    const job = await withJob(client, args[0]!, (id) => client.get<Job>(jobPath(id)));
    output.single(job, job.id, () => describe(job));
    return exitCode.ok;
  },
});
