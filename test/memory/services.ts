import type { Services } from '../contract/services.ts';
import { createMemoryControlPlane, type MemoryControlPlane } from './control-plane.ts';
import { createMemoryOutputs } from './outputs.ts';
import { createMemoryShadows } from './shadows.ts';
import { createMemoryQueue, createMemoryRemovals, createMemoryTimers } from './timers.ts';

export type MemoryServices = Services & {
  readonly controlPlane: MemoryControlPlane;
  /** Messages about edges on their way out, whether they have come or not. */
  leaving(): readonly string[];
};

/** All that lies beyond the table, in memory. */
export function createMemoryServices(clock = { nowMs: Date.now }): MemoryServices {
  const shadows = createMemoryShadows();
  const controlPlane = createMemoryControlPlane(shadows);
  const [timerQueue, removalQueue] = [createMemoryQueue(clock), createMemoryQueue(clock)];
  return {
    work: shadows,
    shadows,
    outputs: createMemoryOutputs(),
    controlPlane,
    timers: createMemoryTimers(timerQueue),
    removals: createMemoryRemovals(removalQueue, clock),
    async certificatesOf(edge) {
      const { certificates } = controlPlane;
      return [...certificates].flatMap(([id, owner]) => (owner === edge ? [id] : []));
    },
    leaving: () => removalQueue.messages.map(({ body }) => body),
    timerQueue: {
      receive: async () => timerQueue.receive(),
      waiting: async () => timerQueue.messages.length,
    },
    removalQueue: {
      receive: async () => removalQueue.receive(),
      waiting: async () => removalQueue.messages.length,
    },
  };
}
