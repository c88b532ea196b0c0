import type { WaitingReason } from '../contract/waiting-reason.ts';
import type { Percents } from '../protocol/percents.ts';
import type { Failure } from '../protocol/progress-report.ts';
import type { ServiceCounts } from '../services/service.ts';
import type { ShelfChange } from '../shelf/shelf.ts';
import type { CellJob, CellMeta, EdgeWork, Slice } from './cell.ts';
import type { ChunkCounts, Chunking, JobState } from './job.ts';
import type { JobEvent, Progress } from './job-event.ts';
import type { CellId, EdgeName, JobId } from './names.ts';
import type { RangeSet } from './ranges.ts';

/**
 * What a pass decided, so specific that whoever carries it out has no choice left.
 *
 * All of it is committed in one transaction together with the cell's META row at `seenVersion`;
 * when that version has moved, nothing is written and the pass is run again on what is stored now.
 * Only after the commit are the `work` shadows of `shadows` written.
 */
export type Plan = {
  readonly seenVersion: number;
  /** `null` when nothing changed: then there is nothing to commit. */
  readonly meta: CellMeta | null;
  readonly works: ReadonlyMap<EdgeName, EdgeWork>;
  readonly slices: ReadonlyMap<JobId, Slice>;
  /** Jobs whose slices lie in a lease of `works`: their SHARE rows are not written. */
  readonly slicesInLeases?: ReadonlySet<JobId>;
  /** Jobs that ended here: their SHARE and ASK rows go. */
  readonly endedJobs: ReadonlySet<JobId>;
  /** Those of them that have no SHARE row. */
  readonly endedWithoutSlice?: ReadonlySet<JobId>;
  /** Edges that were leaving and hold nothing any more: their rows go. */
  readonly removedEdges: ReadonlySet<EdgeName>;
  readonly jobStatuses: ReadonlyMap<JobId, JobCellStatus>;
  /** Statuses of jobs that no other cell has a part in: written with the counts they come from. */
  readonly folds: ReadonlyMap<JobId, JobFold>;
  readonly executions: readonly Execution[];
  /** Those that were the last of their jobs, by job: written with its status, and not as rows. */
  readonly closings?: ReadonlyMap<JobId, EdgeName>;
  readonly chunkEnds: readonly ChunkEnd[];
  /** Edges whose `work` shadow must be written, whole, from the committed rows. */
  readonly shadows: ReadonlySet<EdgeName>;
  readonly alarms: readonly Alarm[];
  /** Missing where nothing of the shelf changes. */
  readonly shelf?: ShelfChange<CellJob>;
  /** When to look again although nothing happens; `null` when only an event can change anything. */
  readonly lookAgainAtMs: number | null;
};

/** `JOB#<id>/CELL#<cell>`: absolute counts of this cell for this job. */
export type JobCellStatus = {
  readonly job: JobId;
  readonly counts: ChunkCounts;
  readonly donePower: number;
  /** With what running chunks have done of theirs; absent where that is nothing. */
  readonly workedPower?: number;
  readonly service?: ServiceCounts;
  /** Of a job that runs everywhere: the numbers that it has now. */
  readonly ranges?: RangeSet;
  readonly done: RangeSet;
  readonly dead: RangeSet;
  readonly cancelled: RangeSet;
  readonly waiting: readonly WaitingCount[];
  readonly startedAtMs: number | null;
  /** Set when nothing is left to do here. */
  readonly endedAtMs: number | null;
  /** Why it ended early, for example `max-failed-chunks` or `deadline`. */
  readonly reason: string | null;
  /** Of the slice that was counted. */
  readonly retryEpoch: number;
  /** The pass wrote the job's status itself: there is nothing for the rollup to do. */
  readonly foldedByCell: boolean;
  readonly attemptsUsed: number;
};

/** What a fold of counts changes of a job's status, with what it is folded from. */
export type FoldedStatus = {
  readonly job: JobId;
  readonly chunking: Chunking;
  readonly state: JobState;
  readonly counts: ChunkCounts;
  readonly donePower: number;
  /** The most that its cells ever said together; absent where that is what is done. */
  readonly workedPower?: number;
  /** Of a service, and of nothing else. */
  readonly service?: ServiceCounts;
  readonly startedAtMs: number | null;
  readonly endedAtMs: number | null;
  readonly reason: string | null;
  readonly waiting: readonly WaitingCount[];
  /** It waits for `dependsOn`: nothing of it is placed. */
  readonly blockedByDependencies: boolean;
  /** A job it depends on did not succeed. */
  readonly dependencyFailed: boolean;
  /** Which one it was, where that is known. */
  readonly failedDependency?: JobId;
  /**
   * Cells that a user's retry asked to bring dead chunks back, each with its epoch: what they count
   * is from before, until they show that epoch.
   */
  readonly retrying: readonly (readonly [CellId, number])[];
  /** The state under which the fleet's statistics count it; `null` while they do not know it. */
  readonly countedAs: JobState | null;
  /** The time of the last line of its timeline; `null` while there is none. */
  readonly lastEventAtMs: number | null;
};

/** What the counts of its only cell mean for a job: see `core/scheduler/plan/job-fold.ts`. */
export type JobFold = {
  /** The state that was written before; the status must still say so. */
  readonly seen: JobState | null;
  readonly next: FoldedStatus;
  readonly events: readonly JobEvent[];
  /**
   * Where they are written. The first lines of a job and those of its end come once, and lie in its
   * status; all others are rows of their own.
   */
  readonly eventsIn: 'began' | 'ended' | 'rows';
  readonly progress: Progress;
  /** What this plan costs for the job: added to what was counted before. */
  readonly spent?: Spending;
};

/** Rows written, documents for edges, reports of edges, functions: parts of what jobs share. */
export type Spending = {
  readonly rows: number;
  readonly documents: number;
  readonly reports: number;
  readonly calls: number;
};

/** `JOB#<id>/EXEC#<edge>`: absolute counts of one edge for one job; stays as history. */
export type Execution = {
  readonly job: JobId;
  /** When the job was submitted: an edge's jobs are listed by it. */
  readonly submittedAtMs: number;
  readonly edge: EdgeName;
  /** All chunks this edge was ever given and did not release. */
  readonly chunks: RangeSet;
  readonly done: RangeSet;
  readonly running: RangeSet;
  readonly dead: RangeSet;
  readonly power: number;
  readonly slots: number;
  readonly startedAtMs: number;
  readonly endedAtMs: number | null;
  readonly percents?: Percents;
  readonly ready?: RangeSet;
  /** Of a service that was updated: which of what it holds is to run which generation. */
  readonly generations?: ReadonlyMap<number, RangeSet>;
};

/** `JOB#<id>/CHUNK#<n>`: only of chunks that failed. */
export type ChunkEnd = {
  readonly job: JobId;
  readonly chunk: number;
  readonly edge: EdgeName;
  readonly attempts: number;
  readonly failure: Failure;
  readonly state: 'dead' | 'retrying';
  readonly atMs: number;
};

export type Alarm =
  | { readonly kind: 'mass-loss'; readonly lost: number; readonly edges: number }
  | { readonly kind: 'identity-doubled'; readonly edge: EdgeName }
  | { readonly kind: 'foreign-results'; readonly edge: EdgeName; readonly chunks: number }
  | { readonly kind: 'edge-quarantined'; readonly edge: EdgeName; readonly failures: number };

export type WaitingCount = {
  readonly reason: WaitingReason;
  /** Chunks that wait for this. */
  readonly chunks: number;
  /** Edges that were ruled out by this, with a few of them as examples. */
  readonly edges: number;
  readonly examples: readonly EdgeName[];
  readonly detail: string;
};
