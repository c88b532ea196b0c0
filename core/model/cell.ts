import type { FactValue } from '../protocol/facts.ts';
import type { Percents } from '../protocol/percents.ts';
import type { Failure, ProgressReport } from '../protocol/progress-report.ts';
import type { Rollout } from '../services/rollout.ts';
import type { RolloutTurn } from '../services/rollout-turn.ts';
import type { RolloutWish } from '../services/rollout-wish.ts';
import type { ServiceSpec, StandIns } from '../services/service.ts';
import type { Shelf } from '../shelf/shelf.ts';
import { type CellSummary, emptySummary } from './cell-summary.ts';
import type {
  Chunking,
  JobSpec,
  JobState,
  ResourceVector,
  SubmissionPart,
  TakenSubmission,
} from './job.ts';
import type { CellId, EdgeName, JobId } from './names.ts';
import { emptyRanges, type RangeSet } from './ranges.ts';
import type { Starts } from './starts.ts';
import type { MetaPart, Unreadable } from './unreadable.ts';

/**
 * Everything stored for one cell, as a pass reads it: one Query of the cell's partition.
 *
 * The three trees are never mixed, and the types say which is which:
 * - Config (`EdgeConfig`, `Intent`, `QueueConfig`): written only by users through the API.
 * - Desired (`Slice`, `EdgeWork`): written only by passes (the API makes, the mover moves slices).
 * - Inventory (`EdgeFacts`, `EdgeReport`): written only from what edges and the broker say.
 */
export type Cell = {
  readonly meta: CellMeta;
  readonly edges: ReadonlyMap<EdgeName, CellEdge>;
  readonly jobs: ReadonlyMap<JobId, CellJob>;
  readonly queues: ReadonlyMap<string, QueueConfig>;
  /** When the minute tick last touched this cell; `null` before the first. */
  readonly tickAtMs: number | null;
  /** Missing when every row could be read. */
  readonly unreadable?: Unreadable<CellEdge, CellJob>;
  /** Jobs that wait and are not among `jobs`; missing where there are none. */
  readonly shelf?: Shelf<CellJob>;
  /** In place of `shelfHeadsMax`, for simulations. */
  readonly shelfHeads?: number;
};

/** An edge of the cell: one row of each tree. */
export type CellEdge = {
  readonly name: EdgeName;
  readonly config: EdgeConfig;
  readonly facts: EdgeFacts | null;
  readonly report: EdgeReport | null;
  readonly work: EdgeWork | null;
  /** What its pool believes at most of a claim, by resource: Config, and the same for all of it. */
  readonly capacityMax?: Readonly<Record<string, number>>;
  /** A row of it that could not be read: it gets nothing, whatever it is believed to have. */
  readonly unreadable?: string;
};

/** A job in the cell: what its user wants, and what the scheduler made of it. */
export type CellJob = { readonly id: JobId; readonly intent: Intent; readonly slice: Slice } & {
  /** What is stored of the slice lies in the intent, or in a lease. */
  readonly hasNoSliceRow?: true;
  /** Its user changed it while it stood on the shelf: the group that still counts it. */
  readonly recalledFrom?: string;
};

// Config

export type EdgeConfig = {
  readonly labels: Readonly<Record<string, string>>;
  /** Overrides what the edge says of itself, name by name. */
  readonly capacity: Readonly<Record<string, number>>;
  readonly cordoned: { readonly reason: string; readonly sinceMs: number } | null;
  readonly drain: { readonly reason: string; readonly deadlineAtMs: number | null } | null;
  /** Leaves for good: drained first, then its rows go. `force` takes its work away at once. */
  readonly removing: { readonly force: boolean } | null;
  /** Takes work by itself: it is offered what names it, or all that matches it in its pool. */
  readonly pull?: PullConfig | null;
};

export type PullConfig = { readonly offers: 'named' | 'pool' };

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
    | 'name'
    | 'keepOutput'
    | 'stderr'
    | 'outputMb'
    | 'keepDirectory'
    | 'inputs'
    | 'outputs'
    | 'chunkOffsets'
    | 'offlineSeconds'
    | keyof ServiceSpec
  > & {
    /** Its chunks have parameters, which an edge asks for. */
    readonly sweep?: true;
    /** It is too long to travel with the work. */
    readonly signed?: true;
  };
  /** Who submitted it; `null` in a row that was written before its cells knew. */
  readonly createdBy: string | null;
  readonly specHash: string;
  readonly chunking: Chunking;
  readonly submittedAtMs: number;
  /** Its user wants it to end. */
  readonly cancelled: boolean;
  /** Chunks that its user does not want any more, while the others go on; only grows. */
  readonly cancelledRanges?: RangeSet;
  /** Grows with each `retry` by the user: dead chunks of earlier epochs run again. */
  readonly retryEpoch: number;
  /** On dependencies: nothing is placed until the parents are done. */
  readonly blockedByDependencies: boolean;
  /** At submit the job had this cell alone and waited for nobody: its passes write its status. */
  readonly foldedByCell: boolean;
  /** Of a jobspec that went to one cluster; who takes work by itself takes all of it. */
  readonly submission?: SubmissionPart;
  /** Of a service that was updated or started anew. */
  readonly rollout?: RolloutWish;
  /** Where cells take turns for it: how far this one may go. */
  readonly turn?: RolloutTurn;
};

export type QueueConfig = {
  readonly weight: number;
  readonly strict: boolean;
  /** Power that this queue may hold in this cell at once; `null` is no quota. */
  readonly quota: number | null;
};

export const queueDefaults: QueueConfig = { weight: 1, strict: false, quota: null };

// Desired

/** The part of a job in this cell. `done` and `dead` only grow within a retry epoch. */
export type Slice = {
  readonly ranges: RangeSet;
  readonly done: RangeSet;
  readonly dead: RangeSet;
  readonly cancelled: RangeSet;
  /** Chunks that failed at least once and are not done: how often, and when they may run again. */
  readonly retries: ReadonlyMap<number, ChunkRetry>;
  /** Chunks that ran when their edge or its agent was lost: how heavily that weighs by now. */
  readonly losses: ReadonlyMap<number, number>;
  /** Edges that refused this job, with the reason they gave last, and when. */
  readonly refusals: ReadonlyMap<EdgeName, Refusal>;
  readonly retryEpoch: number;
  /** Dead chunks that a user's `retry` brought back: their attempts count on from `attemptBase`. */
  readonly revived: RangeSet;
  readonly attemptBase: number;
  /** The highest attempt that failed; numbers are for good, as journals of edges answer by them. */
  readonly attemptsUsed: number;
  /** The waiting reasons last written to the job's status, to see whether they changed. */
  readonly reportedReasons: readonly string[];
  /** The state that a pass last wrote into the job's status; `null` while it has not. */
  readonly countedAs: JobState | null;
  /** When the last line came that passes wrote into the job's timeline. */
  readonly lastEventAtMs: number | null;
  /** Others have a part in the status by now: it is left to the rollup. */
  readonly foldedByRollup: boolean;
  /** What passes last wrote into the job's status, so that it never falls; absent: what is done. */
  readonly workedPower?: number;
  readonly startedAtMs: number | null;
  /** What edges had done before a `retry` made it anew, so that their totals stay absolute. */
  readonly doneBeforeReopening: ReadonlyMap<EdgeName, RangeSet>;
  /** Of a service, how far its instances have come to the generation wanted. */
  readonly rollout?: Rollout;
  /** Of one whose instances move: for those above its highest number. */
  readonly standIns?: StandIns;
  /** Of a job that runs everywhere: which number is that of which edge. */
  readonly seats?: ReadonlyMap<EdgeName, number>;
};

/**
 * What a slice says besides its chunks while nothing has come of them yet: that a pass has seen it,
 * and when it began.
 */
export type SliceMarks = Pick<
  Slice,
  'reportedReasons' | 'countedAs' | 'lastEventAtMs' | 'startedAtMs' | 'workedPower'
>;

const empty: ReadonlyMap<unknown, unknown> = new Map();

/** One for all: a slice has several of them, and a cell may have thousands of slices. */
export function noEntries<K, V>(): ReadonlyMap<K, V> {
  return empty as ReadonlyMap<K, V>;
}

/** A slice as it is created: at submit by the API, or by a move from another cell. */
export function newSlice(ranges: RangeSet): Slice {
  return {
    ranges,
    done: emptyRanges,
    dead: emptyRanges,
    cancelled: emptyRanges,
    retries: noEntries(),
    losses: noEntries(),
    refusals: noEntries(),
    retryEpoch: 0,
    revived: emptyRanges,
    attemptBase: 0,
    attemptsUsed: 0,
    reportedReasons: [],
    countedAs: null,
    lastEventAtMs: null,
    foldedByRollup: false,
    startedAtMs: null,
    doneBeforeReopening: noEntries(),
  };
}

export type Refusal = { readonly reason: string; readonly atMs: number };

export type ChunkRetry = {
  readonly failures: number;
  readonly dueAtMs: number;
  readonly last: Failure;
  /** Of an instance of a service: its ends in a row, each soon after its start. */
  readonly streak?: number;
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
  /** How often the document was written again, not being applied: spaces the repeats. */
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
  /** Chunks that count as done here, and their power, over all jobs ever: these never fall. */
  readonly totals: { readonly chunksDone: number; readonly powerServed: number };
  /** Of its agent, once there was more than one. */
  readonly starts?: Starts;
  /** Jobspecs that it took whole: their jobs are its own as soon as they can begin. */
  readonly taken?: readonly TakenSubmission[];
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
  totals: { chunksDone: 0, powerServed: 0 },
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
   * these counts when it reports again.
   */
  readonly heldBefore: RangeSet;
  /** Totals on this edge for this job, kept for the execution row. */
  readonly doneHere: RangeSet;
  readonly deadHere: RangeSet;
  /** What running chunks said: how far they are, and which instances of a service are ready. */
  readonly percents?: Percents;
  readonly ready?: RangeSet;
  /** The slice of its job, which has no row then: see `core/scheduler/plan/slice-in-lease.ts`. */
  readonly slice?: SliceMarks;
};

// Inventory

export type EdgeFacts = {
  readonly capacity: ResourceVector;
  /** Of a cluster: what its graph counts. It stands over what its agent finds on one host. */
  readonly counted?: Readonly<Record<string, number>>;
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
  /** Of an edge over HTTPS, which no broker watches: it is judged by its contacts. */
  readonly poll?: Poll;
};

/** The last contact of any kind, and how often the edge says that it asks for its work. */
export type Poll = { readonly contactAtMs: number; readonly everyMs: number };

// Meta

export type CellMeta = {
  readonly id: CellId;
  readonly pool: string;
  /** Grows with every commit; a commit names the version it has seen. */
  readonly version: number;
  readonly health: CellHealth;
  readonly summary: CellSummary;
  /** When the last pass was. */
  readonly passedAtMs?: number;
  /** What of this row could not be read, and is not written either. */
  readonly unreadable?: readonly MetaPart[];
};

/** The control plane's own pulse, so that its trouble is not mistaken for the edges' death. */
export type CellHealth = {
  readonly tickAtMs: number | null;
  /** Every grace counts from here at the earliest. */
  readonly healthySinceMs: number;
  /** Since when the mass-loss breaker holds its verdicts. */
  readonly holdSinceMs: number | null;
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
