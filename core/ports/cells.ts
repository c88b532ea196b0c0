import type { JobHistory, Move } from '../fleet/move-ranges.ts';
import type { Cell } from '../model/cell.ts';
import type { CellId, JobId } from '../model/names.ts';
import type { Plan } from '../model/plan.ts';
import type { EdgeEvent } from '../protocol/edge-event.ts';

/**
 * Cells as passes read and write them. Any number may work on one cell at once: a commit names the
 * version that it saw, and of those that saw the same version one wins.
 */
export type CellStore = KnownCells & {
  /**
   * Makes a cell again that was removed while a job was on its way to it. `false`: there is no such
   * job.
   */
  adopt(cell: CellId, nowMs: number): Promise<boolean>;
};

export type KnownCells = {
  /**
   * One consistent read of everything stored for the cell; `null` when there is no such cell. Of
   * jobs on its shelf the next ones of groups that are short of heads, and `also`, wherever it is.
   */
  load(cell: CellId, also?: JobId): Promise<Cell | null>;
  /** When its last pass was, without reading the cell; `null` where that is not known. */
  passedAtMs(cell: CellId): Promise<number | null>;
  /**
   * All of the plan or nothing. `conflict`: somebody else committed first; load and decide again.
   * `shared`: the statuses of these jobs have got other authors; decide again and leave them out.
   */
  commit(plan: Plan): Promise<CommitOutcome>;
  /**
   * A plan together with the reports that it was made of: all of both or nothing. `conflict` also
   * when an edge has said something newer.
   */
  commitWithReports(
    plan: Plan,
    reports: readonly ProgressEvent[],
  ): Promise<'committed' | 'conflict'>;
};

type ProgressEvent = Extract<EdgeEvent, { kind: 'prog' }>;

export type CommitOutcome = 'committed' | 'conflict' | { readonly shared: readonly JobId[] };

/** Moves between two cells, each against the version that was loaded. */
export type CellMoves = Pick<CellStore, 'load'> & {
  /**
   * Of those of these jobs that were in the cell once and ended there: what is written of them
   * stays true. `null` where it cannot be read: such a job cannot come back.
   */
  historiesIn(cell: CellId, jobs: readonly JobId[]): Promise<JobHistories>;
  /** Both cells change or neither does. */
  commitMove(move: Move): Promise<'committed' | 'conflict'>;
};

export type JobHistories = ReadonlyMap<JobId, JobHistory | null>;
