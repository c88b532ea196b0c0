import type { AuditStore } from '../../core/ports/audit.ts';
import type { CellStore } from '../../core/ports/cells.ts';
import type { ControlPlane } from '../../core/ports/control-plane.ts';
import type { EdgesStore } from '../../core/ports/edges.ts';
import type { IdempotencyStore } from '../../core/ports/idempotency.ts';
import type { Inventory } from '../../core/ports/inventory.ts';
import type { JobStatistics } from '../../core/ports/job-stats.ts';
import type { JobChanges, JobsStore } from '../../core/ports/jobs.ts';
import type { Outputs } from '../../core/ports/outputs.ts';
import type { PoolCellsReader, Pools, Queues } from '../../core/ports/pools.ts';
import type { Randomness } from '../../core/ports/randomness.ts';
import type { EdgeShadows } from '../../core/ports/shadows.ts';
import type { Clock, EdgeRemovals } from '../../core/ports/timers.ts';
import type { TokensStore } from '../../core/ports/tokens.ts';
import type { Log } from '../log.ts';

/**
 * What the operations of the API reach the world through, under one name each. An operation takes
 * those that it needs, `Pick<Ports, …>`; the function that serves it makes them.
 */
export type Ports = {
  readonly jobs: JobsStore;
  readonly changes: JobChanges;
  readonly stats: JobStatistics;
  readonly cellStore: CellStore;
  readonly pools: Pools;
  readonly cells: PoolCellsReader;
  readonly queues: Queues;
  readonly edges: EdgesStore;
  readonly inventory: Inventory;
  readonly tokens: TokensStore;
  readonly audit: AuditStore;
  readonly idempotency: IdempotencyStore;
  readonly outputs: Outputs;
  readonly shadows: EdgeShadows;
  readonly iot: ControlPlane;
  readonly removals: EdgeRemovals;
  readonly random: Randomness;
  readonly clock: Clock;
  /** The certificate authority that edges shall trust, as PEM. */
  readonly trustAnchor: string;
  readonly log: Log;
};
