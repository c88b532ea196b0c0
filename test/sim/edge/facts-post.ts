import type { Functions } from '../functions.ts';
import type { SimulatedNetwork } from '../network.ts';
import type { Timeline } from '../timeline.ts';
import type { EdgeWorld } from './simulated-edge.ts';

/** Facts on their way from edges to the functions, each later than those before it. */
export function createFactsPost(world: {
  readonly timeline: Timeline;
  readonly network: SimulatedNetwork;
  readonly functions: Functions;
}): EdgeWorld['sendFacts'] {
  let sent = 0;
  return ({ name: edge }, reported, taken) => {
    if (!world.network.isUp(edge)) return;
    const version = ++sent;
    world.network.carry(edge, 'up', () => {
      taken();
      const at = world.timeline.nowMs;
      world.functions.queue({ kind: 'facts', edge, at, version, reported });
    });
  };
}
