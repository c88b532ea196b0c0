import type { AuditStore } from '../../core/ports/audit.ts';
import type { CellStore } from '../../core/ports/cells.ts';
import type { ClustersStore, GraphDocuments } from '../../core/ports/clusters.ts';
import type { ControlPlane } from '../../core/ports/control-plane.ts';
import type { EdgesStore } from '../../core/ports/edges.ts';
import type { Files, ResultFiles } from '../../core/ports/files.ts';
import type { FleetLog } from '../../core/ports/fleet-log.ts';
import type { IdempotencyStore } from '../../core/ports/idempotency.ts';
import type { Inventory } from '../../core/ports/inventory.ts';
import type { JobStatistics } from '../../core/ports/job-stats.ts';
import type { JobChanges, JobsStore } from '../../core/ports/jobs.ts';
import type { LiveOutput } from '../../core/ports/live-output.ts';
import type { Outputs } from '../../core/ports/outputs.ts';
import type { PoolCellsReader, Pools, Queues } from '../../core/ports/pools.ts';
import type { Randomness } from '../../core/ports/randomness.ts';
import type { SchedulesStore } from '../../core/ports/schedules.ts';
import type { EdgeShadows, LiveShadows } from '../../core/ports/shadows.ts';
import type { SubmissionsStore } from '../../core/ports/submissions.ts';
import type { Clock, EdgeRemovals } from '../../core/ports/timers.ts';
import type { TokensStore } from '../../core/ports/tokens.ts';
import type { WebhooksStore } from '../../core/ports/webhooks.ts';
import type { Log } from '../log.ts';
import type { CellDeps } from '../workers/schedule/run-pass.ts';
import type { ShortPassDeps } from '../workers/schedule/short-pass.ts';

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
  readonly clusters: ClustersStore;
  readonly graphs: GraphDocuments;
  readonly inventory: Inventory;
  readonly tokens: TokensStore;
  readonly audit: AuditStore;
  readonly submissions: SubmissionsStore;
  readonly schedules: SchedulesStore;
  readonly webhooks: WebhooksStore;
  readonly idempotency: IdempotencyStore;
  readonly outputs: Outputs;
  readonly files: Files;
  readonly results: ResultFiles;
  readonly shadows: EdgeShadows;
  readonly live: LiveOutput;
  readonly fleetLog: FleetLog;
  /** Where events are streamed. */
  readonly eventStream: string;
  readonly liveShadows: LiveShadows;
  readonly iot: ControlPlane;
  readonly removals: EdgeRemovals;
  /** How a new job is placed at once. */
  readonly placing: ShortPassDeps;
  /** For decisions that are committed as passes are. */
  readonly passes: CellDeps;
  readonly random: Randomness;
  readonly clock: Clock;
  /** Whether events may be sent to the machine itself: on the local cloud they may. */
  readonly allowsLoopback: boolean;
  /** The certificate authority that edges shall trust, as PEM. */
  readonly trustAnchor: string;
  readonly log: Log;
};
