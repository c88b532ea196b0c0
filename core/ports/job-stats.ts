import type { JobState } from '../model/job.ts';

/** The figures of all jobs, which the rollup counts and users read. */
export type JobStats = {
  readonly states: Readonly<Record<JobState, number>>;
  /** Jobs ever counted: never falls. */
  readonly total: number;
  readonly jobsPerMinute: number;
  readonly chunksPer10Seconds: number;
};

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
