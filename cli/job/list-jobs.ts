import type { Job } from '../../core/contract/resources.ts';
import { jobStates } from '../../core/model/job.ts';
import { listPages } from '../client/pages.ts';
import { defineCommand } from '../command.ts';
import { checkSelector } from '../input/pairs.ts';
import { listFlags, readLimit } from '../output/list-limit.ts';
import { showLiveList } from '../output/live-list.ts';
import { watchFlags } from '../output/watch-flags.ts';
import { jobTable } from './job-view.ts';
import { type LastWords, readLastWords } from './last-words.ts';

export const command = defineCommand({
  name: 'job list',
  about: 'list jobs, newest first',
  args: [],
  flags: {
    state: {
      kind: 'text',
      short: 's',
      value: 'STATE',
      choices: jobStates,
      about: jobStates.join(', '),
    },
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
    ...listFlags,
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
    let ends: ReadonlyMap<string, LastWords> = new Map();
    const load = async () => {
      const page = await listPages<Job>(client, '/v1/jobs', query, readLimit(flags), flags.cursor);
      if (output.format === 'wide') ends = await readLastWords(client, page.items);
      return page;
    };
    const table = (nowMs: number) => jobTable(nowMs, ends);
    return showLiveList({ load, table, flags }, output, terminal);
  },
});
