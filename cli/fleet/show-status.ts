import type { Stats } from '../../core/contract/resources.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { command as getJob } from '../job/get-job.ts';
import { watchView } from '../output/live-view.ts';
import { readEveryMs, watchFlags } from '../output/watch-flags.ts';
import { describeStats, groupTable } from './stats-view.ts';

export const command = defineCommand({
  name: 'status',
  about: 'the fleet and its work in five lines; with JOB, that job',
  args: [{ name: 'JOB', noun: 'job', optional: true }],
  flags: {
    by: {
      kind: 'text',
      value: 'WHAT',
      choices: ['edge', 'pool', 'queue'],
      about: 'figures of each edge, pool or queue, those that served most first',
    },
    ...watchFlags,
  },
  examples: ['edgewise status --watch', 'edgewise status --by pool', 'edgewise status -o json'],
  async run(call) {
    const { args, flags, api, output, terminal } = call;
    if (args.length > 0) return getJob.run(call);
    const client = api();
    const load = (): Promise<Stats> => client.get('/v1/stats');
    if (flags.watch) {
      await watchView(terminal, readEveryMs(flags, output), async () => ({
        text: describeStats(await load()),
        last: false,
      }));
      return exitCode.ok;
    }
    if (flags.by !== undefined) {
      const stats = await client.get<Stats>('/v1/stats', { by: flags.by });
      output.list(stats, stats.groups ?? [], groupTable);
      if (stats.groupsCut) terminal.say('There are more than one answer looks at.');
      return exitCode.ok;
    }
    const stats = await load();
    output.single(stats, client.url, () => describeStats(stats));
    return exitCode.ok;
  },
});
