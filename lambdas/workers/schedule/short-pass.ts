import type { Cell } from '../../../core/model/cell.ts';
import { tickEveryMs } from '../../../core/model/limits.ts';
import type { CellId } from '../../../core/model/names.ts';
import type { Plan } from '../../../core/model/plan.ts';
import type { BusyCells } from './busy-cells.ts';
import { type CellDeps, carryOut } from './run-pass.ts';

export type ShortPassDeps = CellDeps & { readonly busy: BusyCells };

/** What somebody brings to a cell, with the pass over the cell that has it. */
export type News<D extends { readonly cell: Cell; readonly plan: Plan }, O> = {
  /** Whether it is worth a pass of its own. */
  readonly isQuiet: (stored: Cell) => boolean;
  /** `null` when it is left to the pass that the stream wakes. */
  readonly decide: (stored: Cell, nowMs: number) => D | null;
  /** News and plan in one transaction, at the version that was seen. */
  readonly commit: (decided: D) => Promise<O | 'conflict'>;
  /** Whether that was committed. */
  readonly isCommitted: (outcome: O) => boolean;
};

/**
 * One pass, tried once, by whoever brings something to a cell. `left`: nothing is stored, and it
 * goes the way by which everything happens in the end.
 *
 * What fails after the commit fails nobody: it is the same as a pass that is killed there. An edge
 * whose document was not written is written to by a later pass, the minute tick's at the latest.
 */
export async function runShortPass<D extends { readonly cell: Cell; readonly plan: Plan }, O>(
  deps: ShortPassDeps,
  id: CellId,
  { isQuiet, decide, commit, isCommitted }: News<D, O>,
): Promise<{ readonly decided: D; readonly outcome: O } | 'left'> {
  const { busy, clock, store } = deps;
  if (busy.has(id, clock.nowMs())) return 'left';
  const cell = await store.load(id);
  const nowMs = clock.nowMs();
  if (cell === null || !isQuiet(cell)) {
    busy.add(id, nowMs);
    return 'left';
  }
  busy.remove(id);
  const decided = decide(cell, nowMs);
  if (decided === null) return 'left';
  const outcome = await commit(decided);
  if (outcome === 'conflict') {
    busy.add(id, nowMs);
    return 'left';
  }
  if (isCommitted(outcome)) await finish(deps, decided, nowMs);
  return { decided, outcome };
}

async function finish(
  deps: ShortPassDeps,
  { cell, plan }: { readonly cell: Cell; readonly plan: Plan },
  nowMs: number,
): Promise<void> {
  const { id } = cell.meta;
  try {
    await carryOut(deps, cell, plan, { nowMs, conflicts: 0 });
    const lookAtMs = plan.lookAgainAtMs;
    if (lookAtMs !== null && lookAtMs < nowMs + tickEveryMs) {
      await deps.timers.lookAgain(id, lookAtMs);
    }
  } catch (error) {
    deps.log.warn('a pass was committed and not finished', { cell: id, error });
  }
}
