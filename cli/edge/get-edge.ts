import type { Edge } from '../../core/contract/resources.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { watchView } from '../output/live-view.ts';
import { readEveryMs, watchFlags } from '../output/watch-flags.ts';
import { describeEdge, edgePath } from './edge-view.ts';

export const command = defineCommand({
  name: 'edge get',
  about: 'show an edge: state, power, facts, labels and what it works on',
  args: [{ name: 'EDGE', noun: 'edge' }],
  flags: { ...watchFlags },
  examples: ['edgewise edge get edge-10', 'edgewise edge get edge-10 -o json'],
  async run({ args, flags, api, output, terminal }) {
    const client = api();
    const style = { colour: output.colour, wide: output.format === 'wide' };
    const load = (): Promise<Edge> => client.get(edgePath(args[0]!));
    if (flags.watch) {
      await watchView(terminal, readEveryMs(flags, output), async () => {
        const edge = await load();
        return { text: describeEdge(edge, { ...style, nowMs: terminal.nowMs() }), last: false };
      });
      return exitCode.ok;
    }
    const edge = await load();
    output.single(edge, edge.name, () => describeEdge(edge, { ...style, nowMs: terminal.nowMs() }));
    return exitCode.ok;
  },
});
