import type { FactValue } from '../protocol/facts.ts';
import type { Failure, ProgressReport } from '../protocol/progress-report.ts';
import type { Chunking, JobSpec, ResourceVector } from './job.ts';
import type { CellId, EdgeName, JobId } from './names.ts';
import { emptyRanges, type RangeSet, union } from './ranges.ts';

/**
 * Everything stored for one cell, as a pass reads it: one Query of the cell's partition.
 *
 * The three trees are never mixed, and the types say which is which:
 * - Config (`EdgeConfig`, `Intent`, `QueueConfig`): written only by users through the API.
 * - Desired (`Slice`, `EdgeWork`): written only by passes (the API creates a slice, the mover moves
 *   its ranges).
 * - Inventory (`EdgeFacts`, `EdgeReport`): written only from what edges and the broker say.
 */
export type Cell = {
  readonly meta: CellMeta;
  readonly edges: ReadonlyMap<EdgeName, CellEdge>;
  readonly jobs: ReadonlyMap<JobId, CellJob>;
  readonly queues: ReadonlyMap<string, QueueConfig>;
  /** When the minute tick last touched this cell; `null` before the first. */
  readonly tickAtMs: number | null;
  /** Rows that could not be read: their edges stand still, and everything else goes on. */
  readonly unreadable?: readonly string[];
};

/** An edge of the cell: one row of each tree. */
export type CellEdge = {
  readonly name: EdgeName;
  readonly config: EdgeConfig;
  readonly facts: EdgeFacts | null;
  readonly report: EdgeReport | null;
  readonly work: EdgeWork | null;
};

/** A job in the cell: what its user wants, and what the scheduler made of it. */
export type CellJob = { readonly id: JobId; readonly intent: Intent; readonly slice: Slice };

// Config

export type EdgeConfig = {
  readonly labels: Readonly<Record<string, string>>;
  /** Overrides what the edge says of itself, name by name. */
  readonly capacity: Readonly<Record<string, number>>;
  readonly cordoned: { readonly reason: string; readonly sinceMs: number } | null;
  readonly drain: { readonly reason: string; readonly deadlineAtMs: number | null } | null;
  /** Leaves for good: drained first, then its rows go. `force` takes its work away at once. */
  readonly removing: { readonly force: boolean } | null;
};

/** What this cell must know of a job's spec, and what its user wants now. */
export type Intent = {
  readonly spec: Pick<
    JobSpec,
    | 'queue'
    | 'priority'
    | 'resources'
    | 'run'
    | 'requires'
    | 'placement'
    | 'retries'
    | 'lostAfterSeconds'
    | 'deadlineSeconds'
  >;
  readonly specHash: string;
  readonly chunking: Chunking;
  readonly submittedAtMs: number;
  /** Its user wants it to end. */
  readonly cancelled: boolean;
  /** Grows with each `retry` by the user: dead chunks of earlier epochs run again. */
  readonly retryEpoch: number;
  /** On dependencies: nothing is placed until the parents are done. */
  readonly blockedByDependencies: boolean;
};

export type QueueConfig = {
  readonly weight: number;
  readonly strict: boolean;
  /** Power that this queue may hold in this cell at once; `null` is no quota. */
  readonly quota: number | null;
};

export const queueDefaults: QueueConfig = { weight: 1, strict: false, quota: null };

// Desired

/**
 * The part of a job that belongs to this cell. `done` and `dead` only grow within a retry epoch.
 */
export type Slice = {
  readonly ranges: RangeSet;
  readonly done: RangeSet;
  readonly dead: RangeSet;
  readonly cancelled: RangeSet;
  /** Chunks that failed at least once and are not done: how often, and when they may run again. */
  readonly retries: ReadonlyMap<number, ChunkRetry>;
  /**
   * Chunks that were running when their edge was lost or its agent died: how heavily that weighs by
   * now.
   */
  readonly losses: ReadonlyMap<number, number>;
  /** Edges that refused this job, with the reason they gave last, and when. */
  readonly refusals: ReadonlyMap<EdgeName, Refusal>;
  readonly retryEpoch: number;
  /** Dead chunks that a user's `retry` brought back: their attempts count on from `attemptBase`. */
  readonly revived: RangeSet;
  readonly attemptBase: number;
  /** The waiting reasons last written to the job's status, to see whether they changed. */
  readonly reportedReasons: readonly string[];
  readonly startedAtMs: number | null;
  /**
   * What edges had done of this job before the slice was made anew by a `retry`, so that their
   * totals stay absolute.
   */
  readonly doneBeforeReopening: ReadonlyMap<EdgeName, RangeSet>;
};

/** A slice as it is created: at submit by the API, or by a move from another cell. */
export function newSlice(ranges: RangeSet): Slice {
  return {
    ranges,
    done: emptyRanges,
    dead: emptyRanges,
    cancelled: emptyRanges,
    retries: new Map(),
    losses: new Map(),
    refusals: new Map(),
    retryEpoch: 0,
    revived: emptyRanges,
    attemptBase: 0,
    reportedReasons: [],
    startedAtMs: null,
    doneBeforeReopening: new Map(),
  };
}

/**
 * The slice of a job that had ended in the cell, as its user's `retry` makes it again: nothing done
 * is forgotten.
 */
export function reopenedSlice(
  ended: Pick<Slice, 'done' | 'dead' | 'cancelled' | 'startedAtMs'>,
  executions: Iterable<{ readonly edge: EdgeName; readonly done: RangeSet }>,
  retryEpoch: number,
  attempts: number,
): Slice {
  const { done, dead, cancelled, startedAtMs } = ended;
  return {
    ...newSlice(union(union(done, dead), cancelled)),
    done,
    dead,
    cancelled,
    startedAtMs,
    retryEpoch: retryEpoch - 1,
    // An attempt keeps its number for good: edges answer what they have tried from their journal.
    attemptBase: (retryEpoch - 1) * attempts,
    doneBeforeReopening: new Map(
      [...executions].map(({ edge, done: doneThere }) => [edge, doneThere]),
    ),
  };
}

export type Refusal = { readonly reason: string; readonly atMs: number };

export type ChunkRetry = {
  readonly failures: number;
  readonly dueAtMs: number;
  readonly last: Failure;
};

/** One row per edge: its epoch and all its leases, which is exactly what its `work` shadow says. */
export type EdgeWork = {
  readonly epoch: number;
  /** Highest report sequence applied whole: what the next document acknowledges. */
  readonly acknowledgedSequence: number | null;
  /** The start of the agent that reported last; another one means that it died in between. */
  readonly boot: string;
  readonly leases: ReadonlyMap<JobId, Lease>;
  /** When this epoch was committed, to see whether it was applied in time. */
  readonly writtenAtMs: number;
  /**
   * How often the document was written again because the edge did not apply it: spaces the repeats.
   */
  readonly rewrites: number;
  /** Jobs that earlier documents named and this one does not, whose keys every write must null. */
  readonly removed: readonly JobId[];
  /** Since when the edge is considered lost; `null` while it is not. */
  readonly lostAtMs: number | null;
  /**
   * Chunks failed here since the last success, over all jobs; and until when the edge is
   * quarantined for it.
   */
  readonly failuresInRow: number;
  readonly quarantinedUntilMs: number | null;
  /** Chunks that its last report calls done although it was never given them: not counted. */
  readonly foreignResults: number;
};

/** An edge that was never given anything; epoch 0 is never written. */
export const noEdgeWork: EdgeWork = {
  epoch: 0,
  acknowledgedSequence: null,
  boot: '',
  leases: new Map(),
  writtenAtMs: 0,
  rewrites: 0,
  removed: [],
  lostAtMs: null,
  failuresInRow: 0,
  quarantinedUntilMs: null,
  foreignResults: 0,
};

/**
 * The part of a slice that one edge holds. With empty ranges it is history: kept while the job is
 * in the cell, so that the execution row stays absolute when the edge is given more of the same
 * job.
 */
export type Lease = {
  /** Owned and not yet reported: done and dead chunks leave it. */
  readonly ranges: RangeSet;
  /** Subset that is being reclaimed since `reclaimEpoch`. */
  readonly reclaiming: RangeSet;
  readonly reclaimEpoch: number | null;
  readonly slots: number;
  /** Started by the edge as far as the last applied report says. */
  readonly running: RangeSet;
  /** When it was last given work while it held none. */
  readonly grantedAtMs: number;
  /** When it was first given some, for the execution row. */
  readonly startedAtMs: number;
  /** Moving average of the measured time of one chunk here. */
  readonly chunkMs: number | null;
  /**
   * Taken away from an edge that may have been working on it, and still open: what the edge says of
   * these counts when it is heard again.
   */
  readonly heldBefore: RangeSet;
  /** Totals on this edge for this job, kept for the execution row. */
  readonly doneHere: RangeSet;
  readonly deadHere: RangeSet;
};

// Inventory

export type EdgeFacts = {
  readonly capacity: ResourceVector;
  readonly labels: Readonly<Record<string, string>>;
  /** Leaves by dotted key: what expressions address; bounded, bulky facts stay outside the cell. */
  readonly flat: Readonly<Record<string, Exclude<FactValue, object>>>;
};

export type EdgeReport = {
  readonly progress: ProgressReport | null;
  /** Version of the `prog` shadow: the newest wins. */
  readonly version: number;
  readonly receivedAtMs: number;
  readonly connected: boolean;
  /** The broker's own counter per client orders its hints. */
  readonly connectionVersion: number;
  readonly connectionAtMs: number;
};

// Meta

export type CellMeta = {
  readonly id: CellId;
  readonly pool: string;
  /** Grows with every commit; a commit names the version it has seen. */
  readonly version: number;
  readonly health: CellHealth;
  readonly summary: CellSummary;
};

/** The plane's own pulse, so that its trouble is not mistaken for the edges' death. */
export type CellHealth = {
  readonly tickAtMs: number | null;
  /** Every grace counts from here at the earliest. */
  readonly healthySinceMs: number;
  /** Since when the mass-loss breaker holds its verdicts. */
  readonly holdSinceMs: number | null;
};

/** Absolute figures of the cell: what submit chooses cells by, and what the fleet adds up. */
export type CellSummary = {
  readonly edges: {
    readonly total: number;
    readonly connected: number;
    readonly disconnected: number;
    readonly lost: number;
    readonly busy: number;
    readonly free: number;
    readonly cordoned: number;
    /** Set aside because everything failed there. */
    readonly aside: number;
  };
  readonly power: {
    readonly total: number;
    readonly free: number;
    readonly reserved: number;
    /** Power of all chunks ever done here: never falls. */
    readonly served: number;
  };
  readonly chunks: {
    readonly pending: number;
    readonly scheduled: number;
    readonly running: number;
    /** Ever ended here, ended jobs included: these three never fall. */
    readonly done: number;
    readonly dead: number;
    readonly cancelled: number;
  };
  /** Power of the chunks that wait for an edge. */
  readonly backlogPower: number;
  /**
   * The part of it for which no edge of the cell is of the right kind: only another cell can run
   * it.
   */
  readonly strandedPower: number;
  /** Largest capacity among edges that may get work. */
  readonly largestEdgePower: number;
  /** Jobs in the cell now. */
  readonly jobs: number;
  /** Label values of the edges that may get work; `null` when there are too many to list. */
  readonly labels: Readonly<Record<string, readonly string[] | null>>;
};

export const emptySummary: CellSummary = {
  edges: {
    total: 0,
    connected: 0,
    disconnected: 0,
    lost: 0,
    busy: 0,
    free: 0,
    cordoned: 0,
    aside: 0,
  },
  power: { total: 0, free: 0, reserved: 0, served: 0 },
  chunks: { pending: 0, scheduled: 0, running: 0, done: 0, dead: 0, cancelled: 0 },
  backlogPower: 0,
  strandedPower: 0,
  largestEdgePower: 0,
  jobs: 0,
  labels: {},
};

export function newCellMeta(id: CellId, pool: string, nowMs: number): CellMeta {
  return {
    id,
    pool,
    version: 0,
    health: { tickAtMs: null, healthySinceMs: nowMs, holdSinceMs: null },
    summary: emptySummary,
  };
}
