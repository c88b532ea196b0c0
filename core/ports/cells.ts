import type { JobHistory, Move } from '../fleet/move-ranges.ts';
import type { Cell } from '../model/cell.ts';
import type { CellId, JobId } from '../model/names.ts';
import type { Plan } from '../model/plan.ts';

/**
 * Cells as passes read and write them. Any number may work on one cell at once: a commit names the
 * version that it saw, and of those that saw the same version one wins.
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
