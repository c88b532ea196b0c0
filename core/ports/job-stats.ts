import type { CellSummary } from '../model/cell-summary.ts';
import type { JobState } from '../model/job.ts';

/** The figures of all jobs, which the rollup counts and users read. */
export type JobStats = {
  readonly states: Readonly<Record<JobState, number>>;
  /** Jobs ever counted: never falls. */
  readonly total: number;
  /** What cells counted that have been removed since. */
  readonly removedCells: RemovedCells;
  readonly jobsPerMinute: number;
  readonly chunksPer10Seconds: number;
};

/** The figures of a cell that never fall. */
export type RemovedCells = Pick<CellSummary['chunks'], 'done' | 'dead' | 'cancelled'> &
  Pick<CellSummary['power'], 'served'>;

export const noRemovedCells: RemovedCells = { done: 0, dead: 0, cancelled: 0, served: 0 };

/** Work that ended within one minute. */
export type Minute = { readonly atMs: number; readonly jobs: number; readonly chunks: number };

export type JobStatistics = {
  current(nowMs: number): Promise<JobStats>;
  /**
   * The last hour, minute by minute, oldest first; the last minute is not over yet. It is what was
   * counted when it ended, so jobs that were purged since are in it.
   */
  history(nowMs: number): Promise<readonly Minute[]>;
};
