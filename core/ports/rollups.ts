import type { Rollup, RollupView } from '../jobs/rollup.ts';
import type { JobStatus } from '../model/job-status.ts';
import type { CellId, JobId } from '../model/names.ts';
import type { CellTurn } from '../services/rollout-turn.ts';

/** Where jobs lie for the rollup, which adds up what their cells say into one status. */
export type RollupStore = {
  /** `null` for a job that was purged. */
  load(job: JobId): Promise<RollupView | null>;
  /**
   * Status, timeline and statistics together, or `conflict` when the status is no longer the one
   * that was seen.
   */
  save(seen: JobStatus, rollup: Rollup): Promise<'saved' | 'conflict'>;
  /** Sets the intents of the cells; a cell that has ended the job is left alone. */
  release(job: JobId, cells: readonly CellId[]): Promise<void>;
  cancel(job: JobId, cells: readonly CellId[]): Promise<void>;
  giveTurn(job: JobId, turn: CellTurn): Promise<void>;
  dependantsOf(job: JobId): Promise<readonly JobId[]>;
  /**
   * The final status holds everything that was said until then: nobody has to come back to this
   * job.
   */
  settle(job: JobId, endedAtMs: number): Promise<void>;
  /**
   * Counts progress in the current interval; a count that is lost makes a rate a little too low.
   */
  countProgress(progress: Rollup['progress'], atMs: number): Promise<void>;
};

/** Jobs that somebody has to come back to when their last rollup was lost. */
export type PendingRollups = {
  /**
   * Jobs that a cell has ended before `atMs`, and whose status may not say so yet; a bounded
   * number.
   */
  pendingRollups(atMs: number): Promise<readonly JobId[]>;
};
