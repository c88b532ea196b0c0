import { listPages } from '../client/pages.ts';
import type { Job } from '../client/resources.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { checkSelector } from '../input/pairs.ts';
import { limitFlags, readLimit } from '../output/list-limit.ts';
import { watchView } from '../output/live-view.ts';
import { formatTable } from '../output/table.ts';
import { readEveryMs, watchFlags } from '../output/watch-flags.ts';
import { jobTable } from './job-view.ts';

const states = ['waiting', 'pending', 'scheduled', 'running', 'done', 'failed', 'cancelled'];

export const command = defineCommand({
  name: 'job list',
  about: 'list jobs, newest first',
  args: [],
  flags: {
    state: { kind: 'text', short: 's', value: 'STATE', choices: states, about: states.join(', ') },
    pool: {
      kind: 'text',
      short: 'p',
      value: 'POOL',
      noun: 'pool',
      about: 'only jobs of this pool',
    },
    queue: { kind: 'text', value: 'QUEUE', noun: 'queue', about: 'only jobs of this queue' },
    label: { kind: 'text', short: 'l', value: 'K=V', about: 'only jobs with this label' },
    edge: {
      kind: 'text',
      value: 'EDGE',
      noun: 'edge',
      about: 'only jobs that ran or run on this edge',
    },
    ...limitFlags,
    ...watchFlags,
  },
  examples: ['edgewise job list --state running', 'edgewise job list -l team=a -o name'],
  async run({ flags, api, output, terminal }) {
    const client = api();
    const query = {
      state: flags.state,
      pool: flags.pool,
      queue: flags.queue,
      edge: flags.edge,
      label: checkSelector(flags.label, 'label'),
    };
    const load = () => listPages<Job>(client, '/v1/jobs', query, readLimit(flags), flags.cursor);
    if (flags.watch) {
      const style = { wide: output.format === 'wide', colour: output.colour };
      await watchView(terminal, readEveryMs(flags, output), async () => ({
        text: formatTable((await load()).items, jobTable(terminal.nowMs()), style),
        last: false,
      }));
      return exitCode.ok;
    }
    const page = await load();
    output.list(page, page.items, jobTable(terminal.nowMs()));
    return exitCode.ok;
  },
});
