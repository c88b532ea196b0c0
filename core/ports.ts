import type { Cell } from './cell.ts';
import type { JobHistory, Move } from './move-ranges.ts';
import type { CellId, EdgeName, JobId } from './names.ts';
import type { Plan } from './plan.ts';
import type { WorkJson } from './wire/work.ts';

/**
 * The seams between decisions and the world. Outcomes are values; only defects and outages throw.
 */

export type CellStore = {
  /** One consistent read of everything stored for the cell; `null` when there is no such cell. */
  load(cell: CellId): Promise<Cell | null>;
  /**
   * All of the plan or nothing. `conflict`: somebody else committed first; load and decide again.
   */
  commit(plan: Plan): Promise<'committed' | 'conflict'>;
};

/** Moves between two cells, each against the version that was loaded. */
export type CellMoves = Pick<CellStore, 'load'> & {
  /**
   * Of those of these jobs that were in the cell once and ended there: what is written of them
   * stays true.
   */
  historiesIn(cell: CellId, jobs: readonly JobId[]): Promise<ReadonlyMap<JobId, JobHistory>>;
  /** Both cells change or neither does. */
  commitMove(move: Move): Promise<'committed' | 'conflict'>;
};

export type WorkShadows = {
  /** Writes the whole desired document of one edge. Safe to repeat. */
  write(edge: EdgeName, work: WorkJson): Promise<void>;
};

/** Asks for another look at a cell later than the minute tick would be too late for. */
export type Timers = {
  lookAgain(cell: CellId, atMs: number): Promise<void>;
};

export type Clock = { nowMs(): number };

/** Random bytes, so that ids can come from a seed. */
export type Randomness = { bytes(count: number): Uint8Array };

export type JobRef = { readonly job: JobId; readonly cell: CellId };
