import type { Edge } from '../../core/contract/resources.ts';
import { edgeStatusNames } from '../../core/model/edge-status.ts';
import { listPages } from '../client/pages.ts';
import { defineCommand } from '../command.ts';
import { checkSelector } from '../input/pairs.ts';
import { listFlags, readLimit } from '../output/list-limit.ts';
import { showLiveList } from '../output/live-list.ts';
import { watchFlags } from '../output/watch-flags.ts';
import { edgeTable } from './edge-view.ts';

export const command = defineCommand({
  name: 'edge list',
  about: 'list edges with their free power and when they were last seen',
  args: [],
  flags: {
    state: {
      kind: 'text',
      short: 's',
      value: 'STATE',
      choices: edgeStatusNames,
      about: edgeStatusNames.join(', '),
    },
    pool: {
      kind: 'text',
      short: 'p',
      value: 'POOL',
      noun: 'pool',
      about: 'only edges of this pool',
    },
    label: { kind: 'text', short: 'l', value: 'K=V', about: 'only edges with this label' },
    ...listFlags,
    ...watchFlags,
  },
  examples: ['edgewise edge list --watch', 'edgewise edge list -l site=north -o name'],
  async run({ flags, api, output, terminal }) {
    const client = api();
    const query = {
      state: flags.state,
      pool: flags.pool,
      label: checkSelector(flags.label, 'label'),
    };
    const load = () => listPages<Edge>(client, '/v1/edges', query, readLimit(flags), flags.cursor);
    return showLiveList({ load, table: edgeTable, flags }, output, terminal);
  },
});
