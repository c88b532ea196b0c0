import { createAuditStore } from '../../adapters/dynamodb/access/audit-store.ts';
import { createIdempotencyStore } from '../../adapters/dynamodb/access/idempotency-store.ts';
import { createTokensStore } from '../../adapters/dynamodb/access/tokens-store.ts';
import { createEndNotices } from '../../adapters/dynamodb/events/end-notices-store.ts';
import { createFleetLog } from '../../adapters/dynamodb/events/fleet-log.ts';
import { createWebhooksStore } from '../../adapters/dynamodb/events/webhooks-store.ts';
import { createCellStore } from '../../adapters/dynamodb/fleet/adopting-cells.ts';
import { createClustersStore } from '../../adapters/dynamodb/fleet/cluster-store.ts';
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
import { createSubmissionsStore } from '../../adapters/dynamodb/jobs/submissions-store.ts';
import { createLiveStore } from '../../adapters/dynamodb/live/live-store.ts';
import { createSchedulesStore } from '../../adapters/dynamodb/schedules/schedules-store.ts';
import type { Table } from '../../adapters/dynamodb/table.ts';
import { seedCell } from '../adapters/dynamodb/seed-cell.ts';
import type { Stores } from './stored-ports.ts';

/** The shipped stores, on a table that is served by whatever engine. */
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
    clusters: createClustersStore(table),
    audit: createAuditStore(table),
    submissions: createSubmissionsStore(table),
    schedules: createSchedulesStore(table),
    webhooks: createWebhooksStore(table),
    endNotices: createEndNotices(table),
    idempotency: createIdempotencyStore(table),
    stats: createJobStatistics(table),
    live: createLiveStore(table),
    fleetLog: createFleetLog(table),
    jobs: createJobsStore(table),
    changes: createJobChanges(table),
    seed: (cell) => seedCell(table, cell),
  };
}
