import { jobStates } from '../../core/model/job.ts';
import { listPages } from '../client/pages.ts';
import { defineCommand } from '../command.ts';
import { checkSelector } from '../input/pairs.ts';
import { listFlags, readLimit } from '../output/list-limit.ts';
import { showLiveList } from '../output/live-list.ts';
import { watchFlags } from '../output/watch-flags.ts';
import { jobspecTable, type Listed } from './jobspec-view.ts';

export const command = defineCommand({
  name: 'jobspec list',
  about: 'list submitted jobspecs of a pool, newest first',
  args: [],
  flags: {
    pool: { kind: 'text', short: 'p', value: 'POOL', noun: 'pool', about: 'the pool (default)' },
    state: {
      kind: 'text',
      short: 's',
      value: 'STATE',
      choices: jobStates,
      about: jobStates.join(', '),
    },
    label: { kind: 'text', short: 'l', value: 'K=V', about: 'only those with this label' },
    ...listFlags,
    ...watchFlags,
  },
  examples: ['edgewise jobspec list --pool hpc', 'edgewise jobspec list --state failed -o name'],
  async run({ flags, api, output, terminal }) {
    const client = api();
    const { pool, state, cursor } = flags;
    const label = checkSelector(flags.label, 'label');
    const query = { pool, state, label };
    const load = () => listPages<Listed>(client, '/v1/jobspecs', query, readLimit(flags), cursor);
    return showLiveList({ load, table: jobspecTable, flags }, output, terminal);
  },
});
