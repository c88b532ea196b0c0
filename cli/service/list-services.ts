import type { Job } from '../../core/contract/resources.ts';
import { listPages } from '../client/pages.ts';
import { defineCommand } from '../command.ts';
import { checkSelector } from '../input/pairs.ts';
import { listFlags, readLimit } from '../output/list-limit.ts';
import { showLiveList } from '../output/live-list.ts';
import { watchFlags } from '../output/watch-flags.ts';
import { serviceTable } from './service-view.ts';

export const command = defineCommand({
  name: 'service list',
  about: 'list services, newest first',
  args: [],
  flags: {
    state: { kind: 'text', short: 's', value: 'STATE', about: 'running, degraded, stopped, …' },
    pool: { kind: 'text', short: 'p', value: 'POOL', noun: 'pool', about: 'only of this pool' },
    everywhere: { kind: 'switch', about: 'those that run on every edge that matches' },
    label: { kind: 'text', short: 'l', value: 'K=V', about: 'only those with this label' },
    ...listFlags,
    ...watchFlags,
  },
  examples: ['edgewise service list', 'edgewise service list --state degraded'],
  async run({ flags, api, output, terminal }) {
    const client = api();
    const { state, pool } = flags;
    const kind = flags.everywhere ? 'everywhere' : 'service';
    const query = { kind, state, pool, label: checkSelector(flags.label, 'label') };
    const load = () => listPages<Job>(client, '/v1/jobs', query, readLimit(flags), flags.cursor);
    return showLiveList({ load, table: serviceTable, flags }, output, terminal);
  },
});
