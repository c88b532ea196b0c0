import type { Cell } from '../../core/model/cell.ts';
import type { AuditStore } from '../../core/ports/audit.ts';
import type { CellMoves, CellStore } from '../../core/ports/cells.ts';
import type { ClustersStore } from '../../core/ports/clusters.ts';
import type { EdgesStore } from '../../core/ports/edges.ts';
import type { EndNotices } from '../../core/ports/end-notices.ts';
import type { Fleet } from '../../core/ports/fleet.ts';
import type { FleetLog } from '../../core/ports/fleet-log.ts';
import type { IdempotencyStore } from '../../core/ports/idempotency.ts';
import type { Inventory } from '../../core/ports/inventory.ts';
import type { JobStatistics } from '../../core/ports/job-stats.ts';
import type { JobChanges, JobsStore } from '../../core/ports/jobs.ts';
import type { LiveOutput } from '../../core/ports/live-output.ts';
import type { Pools, Queues } from '../../core/ports/pools.ts';
import type { PendingRollups, RollupStore } from '../../core/ports/rollups.ts';
import type { SchedulesStore } from '../../core/ports/schedules.ts';
import type { SubmissionsStore } from '../../core/ports/submissions.ts';
import type { TokensStore } from '../../core/ports/tokens.ts';
import type { WebhooksStore } from '../../core/ports/webhooks.ts';

/**
 * The ports that keep something, on one store: what one of them writes another reads. A contract
 * speaks of a store through its ports alone, so that every implementation can be asked the same.
 */
export type Stores = {
  readonly cells: CellStore;
  readonly moves: CellMoves;
  readonly fleet: Fleet;
  readonly inventory: Inventory;
  readonly rollups: RollupStore & PendingRollups;
  readonly edges: EdgesStore;
  readonly pools: Pools;
  readonly queues: Queues;
  readonly tokens: TokensStore;
  readonly clusters: ClustersStore;
  readonly audit: AuditStore;
  readonly submissions: SubmissionsStore;
  readonly schedules: SchedulesStore;
  readonly webhooks: WebhooksStore;
  readonly endNotices: EndNotices;
  readonly idempotency: IdempotencyStore;
  readonly stats: JobStatistics;
  readonly live: LiveOutput;
  readonly fleetLog: FleetLog;
  readonly jobs: JobsStore;
  readonly changes: JobChanges;
  /** Stores a cell as it is. */
  seed(cell: Cell): Promise<void>;
};
