import { afterAll, beforeAll, describe } from 'vitest';
import { createAuditStore } from '../../adapters/dynamodb/access/audit-store.ts';
import { createIdempotencyStore } from '../../adapters/dynamodb/access/idempotency-store.ts';
import { createTokensStore } from '../../adapters/dynamodb/access/tokens-store.ts';
import { createCellStore } from '../../adapters/dynamodb/fleet/cell-store.ts';
import { createInventory } from '../../adapters/dynamodb/fleet/edge-inventory.ts';
import { createEdgesStore } from '../../adapters/dynamodb/fleet/edges-store.ts';
import { createMoveStore } from '../../adapters/dynamodb/fleet/move-store.ts';
import { createPoolsStore } from '../../adapters/dynamodb/fleet/pools-store.ts';
import { createQueuesStore } from '../../adapters/dynamodb/fleet/queues-store.ts';
import { createFleet } from '../../adapters/dynamodb/fleet/tick-fleet.ts';
import { createJobChanges } from '../../adapters/dynamodb/jobs/job-changes.ts';
import { createJobStatistics } from '../../adapters/dynamodb/jobs/job-stats.ts';
import { createJobsStore } from '../../adapters/dynamodb/jobs/jobs-store.ts';
import { createRollupStore } from '../../adapters/dynamodb/jobs/rollup-store.ts';
import type { Table } from '../../adapters/dynamodb/table.ts';
import { seedCell } from '../adapters/dynamodb/seed-cell.ts';
import { createMemoryStores } from '../memory/stores.ts';
import { startDatabase, type TestDatabase } from './database.ts';
import { type Sdk, sdks } from './sdk.ts';
import type { Stores } from './stored-ports.ts';

export type Contract = (makeStores: () => Promise<Stores>) => void;

export function createTableStores(table: Table): Stores {
  return {
    cells: createCellStore(table),
    moves: createMoveStore(table),
    fleet: createFleet(table),
    inventory: createInventory(table),
    rollups: createRollupStore(table),
    edges: createEdgesStore(table),
    pools: createPoolsStore(table),
    queues: createQueuesStore(table),
    tokens: createTokensStore(table),
    audit: createAuditStore(table),
    idempotency: createIdempotencyStore(table),
    stats: createJobStatistics(table),
    jobs: createJobsStore(table),
    changes: createJobChanges(table),
    seed: (cell) => seedCell(table, cell),
  };
}

export async function makeTableStores(database: TestDatabase, sdk?: Sdk): Promise<Stores> {
  return createTableStores(await database.makeTable(sdk));
}

/**
 * Runs a contract on every store that there is: memory, and the table over the client that is
 * bundled with functions and over the SDK's own. The engine under the table is that of the run.
 */
export function onEveryStore(contract: Contract): void {
  describe('in memory', () => contract(async () => createMemoryStores()));
  describe.each(sdks)('in the table over the %s client', (sdk) => {
    let database: TestDatabase;
    beforeAll(async () => {
      database = await startDatabase();
    });
    afterAll(() => database.close());
    contract(() => makeTableStores(database, sdk));
  });
}
