import type { GraphDigest } from '../../core/graph/digest.ts';
import type { Cell, CellEdge, CellJob, EdgeFacts } from '../../core/model/cell.ts';
import type { JobState } from '../../core/model/job.ts';
import type { JobEvent } from '../../core/model/job-event.ts';
import type { JobStatus } from '../../core/model/job-status.ts';
import { type CellId, type EdgeName, type JobId, poolOfCell } from '../../core/model/names.ts';
import type { ChunkEnd, Execution, JobCellStatus } from '../../core/model/plan.ts';
import type { StoredJob } from '../../core/model/stored-job.ts';
import type { Submission } from '../../core/model/submission.ts';
import type { AuditEvent } from '../../core/ports/audit.ts';
import type { ClusterRecord } from '../../core/ports/clusters.ts';
import type { EdgeIdentity } from '../../core/ports/edges.ts';
import type { LoggedEvent } from '../../core/ports/fleet-log.ts';
import type { FirstAnswer } from '../../core/ports/idempotency.ts';
import { noRemovedCells, type RemovedCells } from '../../core/ports/job-stats.ts';
import type { ChunkResult, KeptOutput } from '../../core/ports/jobs.ts';
import type { LivePart, LiveWishes } from '../../core/ports/live-output.ts';
import type { StoredPool, StoredQueue } from '../../core/ports/pools.ts';
import type { Credential } from '../../core/ports/tokens.ts';
import type { FactValue } from '../../core/protocol/facts.ts';
import type { ProgressReport } from '../../core/protocol/progress-report.ts';
import type { Run, Schedule } from '../../core/schedules/schedule.ts';
import type { StoredGeneration } from '../../core/services/generation.ts';
import type { ShelvedJob } from '../../core/shelf/shelf.ts';
import type { EndNotice } from '../../core/webhooks/end-notice.ts';
import type { Delivery, Webhook } from '../../core/webhooks/webhook.ts';

/**
 * Everything that the table would hold, as values. The stores of this folder share it, as those of
 * the table share the table, with its promises and no others: one thing changes at a time, except
 * in what a store promises to commit whole. Nothing waits between a look and the change that hangs
 * on it, so no two of them can be interleaved.
 */
/** Of one schedule: itself, unless it is gone, and what became of its times. */
export type HeldSchedule = { schedule: Schedule | null; readonly runs: Map<number, Run> };

/** A part of an output that is followed, and when it goes. */
export type KeptPart = {
  readonly chunk: number;
  readonly part: LivePart;
  readonly goneAtMs: number;
};

export type Stored = {
  readonly cells: Map<CellId, Cell>;
  /** Jobs that wait outside of what a pass reads. */
  readonly shelves: Map<CellId, ReadonlyMap<JobId, ShelvedJob<CellJob>>>;
  /** Of an edge in its cell: what its row there holds besides its settings. */
  readonly seats: Map<string, Seat>;
  readonly identities: Map<EdgeName, EdgeIdentity>;
  readonly allFacts: Map<EdgeName, AllFacts>;
  readonly pools: Map<string, StoredPool>;
  /** Jobs that came to a cell that had been removed. */
  readonly orphans: Map<CellId, readonly CellJob[]>;
  /** Those that are remembered for their jobs. */
  readonly removedPools: Set<string>;
  removedCells: RemovedCells;
  /** Edges of each cell, counted as they come and go. */
  readonly poolCells: Map<CellId, number>;
  readonly queues: Map<string, StoredQueue>;
  readonly credentials: Map<string, Credential>;
  readonly clusters: Map<EdgeName, ClusterRecord>;
  readonly digests: Map<EdgeName, GraphDigest>;
  readonly firstAnswers: Map<string, FirstAnswer>;
  /** Of each pool and name: the last service that was to be the only one. */
  readonly lastNamed: Map<string, JobId>;
  readonly audit: AuditEvent[];
  readonly submissions: Map<JobId, Submission>;
  readonly schedules: Map<string, HeldSchedule>;
  readonly webhooks: Map<string, Webhook>;
  readonly deliveries: Map<string, Delivery>;
  readonly notices: Map<JobId, EndNotice>;
  readonly fleetLog: (LoggedEvent & { readonly appendedAtMs: number })[];
  readonly liveWishes: Map<EdgeName, LiveWishes>;
  readonly liveParts: Map<JobId, Map<string, KeptPart>>;
  readonly jobs: Map<JobId, JobRows>;
  /** Jobs that a cell has ended and whose last fold may be lost, with the time of the end. */
  readonly pendingRollups: Map<JobId, number>;
  readonly counts: Map<JobState | 'total', number>;
  /** Progress by the number of its interval. */
  readonly rates: Map<number, { chunks: number; jobs: number }>;
};

export type Seat = {
  /** Of its settings. */
  version: number;
  progress: {
    progress: ProgressReport;
    version: number | null;
    atMs: number;
    overHttps: boolean;
  } | null;
  polledAtMs: number;
  presence: { connected: boolean; version: number; atMs: number } | null;
  facts: FactsOrder & { facts: EdgeFacts };
};

export type FactsOrder = { readonly version: number | null; readonly atMs: number | null };
export type AllFacts = FactsOrder & { readonly facts: Readonly<Record<string, FactValue>> };

/** A job's own rows. Each may be there without the others, for a moment or for good. */
export type JobRows = {
  job: StoredJob | null;
  status: JobStatus | null;
  readonly cells: Map<CellId, JobCellStatus>;
  readonly executions: Map<EdgeName, Execution>;
  readonly ends: Map<number, ChunkEnd>;
  readonly outputs: Map<number, KeptOutput>;
  readonly errors: Map<number, KeptOutput>;
  readonly results: Map<number, ChunkResult>;
  readonly events: Map<string, JobEvent>;
  readonly generations: Map<number, StoredGeneration>;
  readonly dependants: Set<JobId>;
};

export function nothingStored(): Stored {
  return {
    cells: new Map(),
    shelves: new Map(),
    seats: new Map(),
    identities: new Map(),
    allFacts: new Map(),
    pools: new Map(),
    orphans: new Map(),
    removedPools: new Set(),
    removedCells: noRemovedCells,
    poolCells: new Map(),
    queues: new Map(),
    credentials: new Map(),
    clusters: new Map(),
    digests: new Map(),
    firstAnswers: new Map(),
    lastNamed: new Map(),
    audit: [],
    submissions: new Map(),
    schedules: new Map(),
    webhooks: new Map(),
    deliveries: new Map(),
    notices: new Map(),
    fleetLog: [],
    liveWishes: new Map(),
    liveParts: new Map(),
    jobs: new Map(),
    pendingRollups: new Map(),
    counts: new Map(),
    rates: new Map(),
  };
}

export function seatKey(cell: CellId, edge: EdgeName): string {
  return `${cell} ${edge}`;
}

export function rowsOf(stored: Stored, job: JobId): JobRows {
  const rows = stored.jobs.get(job) ?? {
    job: null,
    status: null,
    cells: new Map(),
    executions: new Map(),
    ends: new Map(),
    outputs: new Map(),
    errors: new Map(),
    results: new Map(),
    events: new Map(),
    generations: new Map(),
    dependants: new Set(),
  };
  stored.jobs.set(job, rows);
  return rows;
}

/** Changes the intent of a cell; a job that the cell does not have, or no longer, stays so. */
export function changeJob(
  stored: Stored,
  cell: CellId,
  id: JobId,
  change: (job: CellJob) => CellJob,
): void {
  const found = stored.cells.get(cell);
  const job = found?.jobs.get(id);
  if (found === undefined || job === undefined) return;
  stored.cells.set(cell, { ...found, jobs: new Map(found.jobs).set(id, change(job)) });
}

export function changeEdge(
  stored: Stored,
  cell: CellId,
  name: EdgeName,
  change: (edge: CellEdge) => CellEdge,
): void {
  const found = stored.cells.get(cell);
  const edge = found?.edges.get(name);
  if (found === undefined || edge === undefined) return;
  stored.cells.set(cell, { ...found, edges: new Map(found.edges).set(name, change(edge)) });
}

/** What the pool of the cell believes at most of a claim. */
export function capacityMaxOf(stored: Stored, cell: CellId): Pick<CellEdge, 'capacityMax'> {
  const max = stored.pools.get(poolOfCell(cell))?.edgeCapacityMax ?? {};
  return Object.keys(max).length === 0 ? {} : { capacityMax: max };
}

/** A page of what is sorted, from just behind `after`. */
export function pageOf<T>(
  items: Iterable<T>,
  keyOf: (item: T) => string,
  after: string | null,
  limit: number,
): T[] {
  return [...items]
    .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
    .filter((item) => after === null || keyOf(item) > after)
    .slice(0, limit);
}
