import type { Services } from '../contract/services.ts';
import { createMemoryAdminToken } from './admin-token.ts';
import { createMemoryGraphDocuments } from './clusters.ts';
import { createMemoryControlPlane, type MemoryControlPlane } from './control-plane.ts';
import { createMemoryFiles, type MemoryFiles } from './files.ts';
import { createMemoryOutputs } from './outputs.ts';
import { createMemoryShadows } from './shadows.ts';
import { createMemoryQueue, createMemoryRemovals, createMemoryTimers } from './timers.ts';

export type MemoryServices = Services & {
  readonly controlPlane: MemoryControlPlane;
  readonly files: MemoryFiles;
  readonly results: MemoryFiles;
  /** Messages about edges on their way out, whether they have come or not. */
  leaving(): readonly string[];
};

/** All that lies beyond the table, in memory. */
export function createMemoryServices(clock = { nowMs: Date.now }): MemoryServices {
  const shadows = createMemoryShadows();
  const files = createMemoryFiles(clock);
  const results = createMemoryFiles(clock, 'results');
  const storeAt = (url: string): MemoryFiles => (results.isAt(url) ? results : files);
  const controlPlane = createMemoryControlPlane(shadows);
  const adminToken = createMemoryAdminToken();
  const [timerQueue, removalQueue] = [createMemoryQueue(clock), createMemoryQueue(clock)];
  return {
    work: shadows,
    liveShadows: shadows,
    shadows,
    outputs: createMemoryOutputs(),
    graphs: createMemoryGraphDocuments(files),
    files,
    results,
    putFile: async (address, bytes) => storeAt(address.url).put(address, bytes),
    getFile: async (url) => storeAt(url).get(url),
    controlPlane,
    timers: createMemoryTimers(timerQueue),
    removals: createMemoryRemovals(removalQueue, clock),
    adminToken,
    rotateAdminToken: async (text) => adminToken.rotate(text),
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
