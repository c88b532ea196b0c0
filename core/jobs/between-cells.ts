import type { JobStatus } from '../model/job-status.ts';
import type { CellId } from '../model/names.ts';
import type { JobCellStatus } from '../model/plan.ts';
import type { CellTurn } from '../services/rollout-turn.ts';
import type { RolloutCounts } from '../services/service.ts';
import { nextTurn } from '../services/turns.ts';
import type { Rollup, RollupView } from './rollup.ts';

/** What cells of one job have to know of each other. */
export type BetweenCells = {
  /** These have nothing of a job that is over in the others. */
  readonly leftOver: readonly CellId[];
  /** How far this one may go with what is wanted of a service. */
  readonly turn: CellTurn | null;
};

/** As the rollup, from what is stored alone: repeated as long as a cell does not show it. */
export function betweenCells(
  { status, cells }: Pick<RollupView, 'status' | 'cells'>,
  { next }: Pick<Rollup, 'next'>,
): BetweenCells {
  const { service } = status;
  if (service === undefined || next.cancelled) return { leftOver: [], turn: null };
  const turn = nextTurn({ cells: rolloutsIn(cells), last: service.turn });
  return { leftOver: leftOver(status, cells), turn };
}

/** The status says who was given the turn before anybody is: of two who look, one writes it. */
export function withTurn(rollup: Rollup, turn: CellTurn | null): Rollup {
  const { service } = rollup.next;
  if (turn === null || service === undefined || isSame(service.turn, turn)) return rollup;
  return { ...rollup, changed: true, next: { ...rollup.next, service: { ...service, turn } } };
}

function isSame(a: CellTurn | undefined, b: CellTurn): boolean {
  const isBack = a?.turn.back?.to === b.turn.back?.to;
  return a?.cell === b.cell && a.turn.wish === b.turn.wish && isBack;
}

/**
 * A job that runs on every edge of now is over when those are done: cells that have none for it
 * would wait for one.
 */
function leftOver(
  { service, cells: given }: JobStatus,
  cells: ReadonlyMap<CellId, JobCellStatus>,
): CellId[] {
  const isOpen = (cell: JobCellStatus) => cell.endedAtMs === null;
  const all = [...cells.values()];
  const isKnown = given.every((cell) => cells.has(cell));
  if (service?.everywhere !== true || !isKnown || all.every(isOpen)) return [];
  if (all.some((cell) => isOpen(cell) && cell.counts.total > 0)) return [];
  return [...cells].flatMap(([cell, it]) => (isOpen(it) ? [cell] : []));
}

function rolloutsIn(cells: ReadonlyMap<CellId, JobCellStatus>): ReadonlyMap<CellId, RolloutCounts> {
  return new Map(
    [...cells].flatMap(([cell, { service, endedAtMs }]) =>
      service?.rollout === undefined || endedAtMs !== null ? [] : [[cell, service.rollout]],
    ),
  );
}
