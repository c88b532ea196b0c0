import type { EdgeName } from '../../core/model/names.ts';
import type { Clock } from '../../edge-agent/host/clock.ts';
import type { Faults } from './faults.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { Timeline } from './timeline.ts';

/**
 * Clocks that do not agree: those of edges may be minutes or hours off and jump when somebody sets
 * them; those of functions differ by a moment, each run of one by another. The broker's is right.
 */
export type Clocks = {
  /** Somebody sets the clock of this edge. */
  set(edge: EdgeName): void;
  /** The clock of one run of a function. */
  ofFunction(): { nowMs(): number };
  /** Its wall clock is off; what it measures with never is. */
  ofEdge(edge: EdgeName, after: Clock['after']): Clock;
};

export function createClocks(deps: {
  readonly timeline: Timeline;
  readonly random: SeededRandom;
  readonly faults: () => Faults;
}): Clocks {
  const { timeline, random, faults } = deps;
  const offsets = new Map<EdgeName, number>();
  const draw = (max: number) => (max === 0 ? 0 : random.between(-max, max));
  const offsetOf = (edge: EdgeName) => {
    const offset = offsets.get(edge) ?? draw(faults().edgeClockOffMsMax);
    offsets.set(edge, offset);
    return offset;
  };
  return {
    set(edge) {
      offsets.set(edge, draw(faults().edgeClockOffMsMax));
    },
    ofFunction() {
      const offset = draw(faults().functionClockOffMsMax);
      return { nowMs: () => timeline.nowMs + offset };
    },
    ofEdge: (edge, after) => ({
      nowMs: () => timeline.nowMs + offsetOf(edge),
      monotonicMs: () => timeline.nowMs,
      after,
    }),
  };
}
