import type { Stores } from '../contract/stored-ports.ts';
import { createMemoryAudit } from './audit.ts';
import { createMemoryCells } from './cells.ts';
import { createMemoryEdges } from './edges.ts';
import { createMemoryFleet } from './fleet.ts';
import { createMemoryIdempotency } from './idempotency.ts';
import { createMemoryInventory } from './inventory.ts';
import { createMemoryJobChanges } from './job-changes.ts';
import { createMemoryJobStatistics } from './job-stats.ts';
import { createMemoryJobs } from './jobs.ts';
import { createMemoryMoves } from './moves.ts';
import { createMemoryPools } from './pools.ts';
import { createMemoryQueues } from './queues.ts';
import { createMemoryRollups } from './rollups.ts';
import { seedMemory } from './seed.ts';
import { nothingStored } from './stored.ts';
import { createMemoryTokens } from './tokens.ts';

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
    audit: createMemoryAudit(stored),
    idempotency: createMemoryIdempotency(stored),
    stats: createMemoryJobStatistics(stored),
    jobs: createMemoryJobs(stored),
    changes: createMemoryJobChanges(stored),
    seed: async (cell) => seedMemory(stored, cell),
  };
}
