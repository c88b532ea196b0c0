import { defineCommand, givesAny } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { usage } from '../failure.ts';
import { parseAmounts, parsePairs } from '../input/pairs.ts';
import { changeEdge } from './edge-change.ts';
import { describeEdge } from './edge-view.ts';

export const command = defineCommand({
  name: 'edge set',
  about: 'change the labels, the capacity, the pool or the mode of an edge',
  args: [{ name: 'EDGE', noun: 'edge' }],
  flags: {
    label: { kind: 'list', short: 'l', value: 'K=V', about: 'set a label; K= removes it' },
    power: { kind: 'number', value: 'W', min: 0, about: 'power it offers' },
    resource: { kind: 'list', value: 'NAME=N', about: 'another amount it offers: cores=8' },
    pool: {
      kind: 'text',
      short: 'p',
      value: 'POOL',
      noun: 'pool',
      about: 'move it there; it must have no work',
    },
    mode: {
      kind: 'text',
      value: 'MODE',
      choices: ['push', 'pull'],
      about: 'whether it is given work, or takes it by itself; what it has stays',
    },
    offers: {
      kind: 'text',
      value: 'WHICH',
      choices: ['named', 'pool'],
      about: 'what it may take: jobs that name it, or all of its pool that fit it',
    },
  },
  examples: [
    'edgewise edge set edge-10 --label site=north --power 500',
    'edgewise edge set edge-10 --pool hpc',
    'edgewise edge set keebler --mode pull --offers pool',
  ],
  async run({ args, flags, given, api, output, terminal }) {
    if (!givesAny(given))
      throw usage('Nothing to change is given.', 'See: edgewise edge set --help');
    const labels = parsePairs(flags.label, 'label');
    const amounts = parseAmounts(flags.resource, 'resource');
    if (flags.power !== undefined) amounts.power = flags.power;
    const edge = await changeEdge(api(), args[0]!, (seen) => {
      const body: Record<string, unknown> = {};
      if (flags.label.length > 0) {
        const all = Object.entries({ ...seen.labels, ...labels });
        body.labels = Object.fromEntries(all.filter(([, value]) => value !== ''));
      }
      if (flags.pool !== undefined) body.pool = flags.pool;
      if (flags.mode !== undefined) body.mode = flags.mode;
      if (flags.offers !== undefined) body.offers = flags.offers;
      if (Object.keys(amounts).length > 0) body.capacity = { ...seen.capacity, ...amounts };
      return body;
    });
    const style = { colour: output.colour, wide: false, nowMs: terminal.nowMs() };
    output.single(edge, edge.name, () => describeEdge(edge, style));
    return exitCode.ok;
  },
});
