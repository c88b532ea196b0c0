import { listPages } from '../client/pages.ts';
import type { Edge } from '../client/resources.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { checkSelector } from '../input/pairs.ts';
import { limitFlags, readLimit } from '../output/list-limit.ts';
import { watchView } from '../output/live-view.ts';
import { formatTable } from '../output/table.ts';
import { readEveryMs, watchFlags } from '../output/watch-flags.ts';
import { edgeTable } from './edge-view.ts';

const states = [
  'enrolled',
  'connected',
  'disconnected',
  'lost',
  'cordoned',
  'draining',
  'removed',
  'busy',
  'free',
];

export const command = defineCommand({
  name: 'edge list',
  about: 'list edges with their free power and when they were last seen',
  args: [],
  flags: {
    state: { kind: 'text', short: 's', value: 'STATE', choices: states, about: states.join(', ') },
    pool: {
      kind: 'text',
      short: 'p',
      value: 'POOL',
      noun: 'pool',
      about: 'only edges of this pool',
    },
    label: { kind: 'text', short: 'l', value: 'K=V', about: 'only edges with this label' },
    ...limitFlags,
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
    if (flags.watch) {
      const style = { wide: output.format === 'wide', colour: output.colour };
      await watchView(terminal, readEveryMs(flags, output), async () => ({
        text: formatTable((await load()).items, edgeTable(terminal.nowMs()), style),
        last: false,
      }));
      return exitCode.ok;
    }
    const page = await load();
    output.list(page, page.items, edgeTable(terminal.nowMs()));
    return exitCode.ok;
  },
});
