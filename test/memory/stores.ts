import type { Stores } from '../contract/stored-ports.ts';
import { createMemoryAudit } from './audit.ts';
import { createMemoryCells } from './cells.ts';
import { createMemoryClusters } from './clusters.ts';
import { createMemoryEdges } from './edges.ts';
import { createMemoryEndNotices } from './end-notices.ts';
import { createMemoryFleet } from './fleet.ts';
import { createMemoryFleetLog } from './fleet-log.ts';
import { createMemoryIdempotency } from './idempotency.ts';
import { createMemoryInventory } from './inventory.ts';
import { createMemoryJobChanges } from './job-changes.ts';
import { createMemoryJobStatistics } from './job-stats.ts';
import { createMemoryJobs } from './jobs.ts';
import { createMemoryLiveOutput } from './live-output.ts';
import { createMemoryMoves } from './moves.ts';
import { createMemoryPools } from './pools.ts';
import { createMemoryQueues } from './queues.ts';
import { createMemoryRollups } from './rollups.ts';
import { createMemorySchedules } from './schedules.ts';
import { seedMemory } from './seed.ts';
import { nothingStored } from './stored.ts';
import { createMemorySubmissions } from './submissions.ts';
import { createMemoryTokens } from './tokens.ts';
import { createMemoryWebhooks } from './webhooks.ts';

/** All stores in memory, on one set of rows. */
export function createMemoryStores(stored = nothingStored()): Stores {
  return {
    cells: createMemoryCells(stored),
    moves: createMemoryMoves(stored),
    fleet: createMemoryFleet(stored),
    inventory: createMemoryInventory(stored),
    rollups: createMemoryRollups(stored),
    edges: createMemoryEdges(stored),
    pools: createMemoryPools(stored),
    queues: createMemoryQueues(stored),
    tokens: createMemoryTokens(stored),
    clusters: createMemoryClusters(stored),
    audit: createMemoryAudit(stored),
    submissions: createMemorySubmissions(stored),
    schedules: createMemorySchedules(stored),
    webhooks: createMemoryWebhooks(stored),
    endNotices: createMemoryEndNotices(stored),
    idempotency: createMemoryIdempotency(stored),
    stats: createMemoryJobStatistics(stored),
    live: createMemoryLiveOutput(stored),
    fleetLog: createMemoryFleetLog(stored),
    jobs: createMemoryJobs(stored),
    changes: createMemoryJobChanges(stored),
    seed: async (cell) => seedMemory(stored, cell),
  };
}
