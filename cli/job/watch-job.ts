import type { Job, Stats } from '../../core/contract/resources.ts';
import { isFinal } from '../../core/model/job.ts';
import { liveRest } from '../client/live-rest.ts';
import { listPages } from '../client/pages.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { describeStats } from '../fleet/stats-view.ts';
import { watchView } from '../output/live-view.ts';
import { formatTable } from '../output/table.ts';
import { readEveryMs, watchFlags } from '../output/watch-flags.ts';
import { jobPath, withJob } from './input/job-reference.ts';
import { describeJob, jobTable } from './job-view.ts';

const jobsShown = 10;

/** One job to its end, or the whole system until Ctrl-C. */
export const command = defineCommand({
  name: 'job watch',
  shortcut: 'watch',
  about: 'follow a job live to its end; without one, the newest jobs and the fleet',
  args: [{ name: 'JOB', noun: 'job', optional: true }],
  flags: { every: watchFlags.every },
  examples: ['edgewise watch last', 'edgewise watch'],
  async run({ args, flags, api, output, terminal }) {
    const client = api();
    const everyMs = readEveryMs(flags, output);
    const style = { colour: output.colour, wide: output.format === 'wide' };
    const [reference] = args;
    if (reference === undefined) {
      await watchView(terminal, everyMs, async () => {
        const [stats, page] = await Promise.all([
          client.get<Stats>('/v1/stats'),
          listPages<Job>(client, '/v1/jobs', {}, jobsShown),
        ]);
        const jobs = formatTable(page.items, jobTable(terminal.nowMs()), style);
        return { text: `${describeStats(stats)}\n${jobs}`, last: false };
      });
      return exitCode.ok;
    }
    const { id } = await withJob(client, reference, (job) => client.get<Job>(jobPath(job)));
    let failed = false;
    const render = async () => {
      const job: Job = await client.get(jobPath(id));
      failed = isFinal(job.status.state) && job.status.state !== 'done';
      const text = describeJob(job, { ...style, nowMs: terminal.nowMs() });
      return { text, last: isFinal(job.status.state) };
    };
    const live = flags.every === undefined ? liveRest(client, terminal, { job: id }) : null;
    try {
      await watchView(terminal, everyMs, render, live?.rest);
    } finally {
      live?.close();
    }
    return failed ? exitCode.jobFailed : exitCode.ok;
  },
});
