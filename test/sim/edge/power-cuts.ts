import type { EdgeName } from '../../../core/model/names.ts';
import type { SeededRandom } from '../seeded-random.ts';
import type { Timeline } from '../timeline.ts';

/** After it the disk of most edges has synced what it will ever sync of one change. */
const withinMs = 300;

export type PowerWorld = {
  readonly timeline: Timeline;
  readonly crash: (edge: EdgeName, withPower: boolean) => void;
};

/** The power of an edge goes where it hurts: just after it has promised or replaced something. */
export function mayLosePower(
  world: PowerWorld,
  random: SeededRandom,
  edge: EdgeName,
  chance: number,
): void {
  if (!random.chance(chance)) return;
  const delayMs = random.between(0, withinMs);
  world.timeline.after(delayMs, 'power loss', () => world.crash(edge, false));
}
