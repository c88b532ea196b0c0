import type { WaitingReason } from '../contract/waiting-reason.ts';
import type { Failure } from '../protocol/progress-report.ts';
import type { CellMeta, EdgeWork, Slice } from './cell.ts';
import type { ChunkCounts } from './job.ts';
import type { EdgeName, JobId } from './names.ts';
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
  /** Jobs that ended here: their SHARE and ASK rows go. */
  readonly endedJobs: ReadonlySet<JobId>;
  /** Edges that were leaving and hold nothing any more: their rows go. */
  readonly removedEdges: ReadonlySet<EdgeName>;
  readonly jobStatuses: ReadonlyMap<JobId, JobCellStatus>;
  readonly executions: readonly Execution[];
  readonly chunkEnds: readonly ChunkEnd[];
  /** Edges whose `work` shadow must be written, whole, from the committed rows. */
  readonly shadows: ReadonlySet<EdgeName>;
  readonly alarms: readonly Alarm[];
  /** When to look again although nothing happens; `null` when only an event can change anything. */
  readonly lookAgainAtMs: number | null;
};

/** `JOB#<id>/CELL#<cell>`: absolute counts of this cell for this job. */
export type JobCellStatus = {
  readonly job: JobId;
  readonly counts: ChunkCounts;
  readonly donePower: number;
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
};

/** `JOB#<id>/EXEC#<edge>`: absolute counts of one edge for one job; stays as history. */
export type Execution = {
  readonly job: JobId;
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
  | { readonly kind: 'foreign-results'; readonly edge: EdgeName; readonly chunks: number }
  | { readonly kind: 'edge-aside'; readonly edge: EdgeName; readonly failures: number };

export type WaitingCount = {
  readonly reason: WaitingReason;
  /** Chunks that wait for this. */
  readonly chunks: number;
  /** Edges that were ruled out by this, with a few of them as examples. */
  readonly edges: number;
  readonly examples: readonly EdgeName[];
  readonly detail: string;
};
