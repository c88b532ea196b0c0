import type { Cell } from '../../core/model/cell.ts';
import type { CellId } from '../../core/model/names.ts';
import type { Plan } from '../../core/model/plan.ts';
import { encodeWork } from '../../core/protocol/work.ts';
import { workOf } from '../../core/protocol/work-of.ts';
import { applyPlan } from '../../core/scheduler/apply-plan.ts';
import { type BusyCells, createBusyCells } from '../../lambdas/workers/schedule/busy-cells.ts';
import type { ShortPassDeps } from '../../lambdas/workers/schedule/short-pass.ts';
import type { Bug } from './bugs/bugs.ts';
import type { Invocation } from './invocation.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { StoredView } from './table/stored-view.ts';

/** Passes of those who bring something to a cell, as the functions of the simulation run them. */
export type ShortPasses = {
  readonly deps: ShortPassDeps;
  readonly commit: <O>(plan: Plan, bring: Bring, run: Run<O>) => Promise<O>;
};

/** The cell with what somebody brings to it. */
export type Bring = (cell: Cell) => Cell;
export type Run<O> = (plan: Plan, before: Cell) => Promise<O>;

type Makers = {
  readonly bug: NonNullable<Bug['short']>;
  readonly deps: ShortPassDeps;
  readonly stored: StoredView;
  /** Carries the plan out, and judges it. */
  readonly commit: <O>(plan: Plan, seen: Cell | null, bring: Bring, run: Run<O>) => Promise<O>;
};

export function makeShortPasses({ bug, deps, stored, commit }: Makers): ShortPasses {
  let seen: Cell | null = null;
  const load = async (id: CellId) => {
    const cell = await deps.store.load(id);
    seen = cell === null ? null : (bug.load?.(cell) ?? cell);
    return seen;
  };
  return {
    deps: { ...deps, store: { ...deps.store, load } },
    commit: async (decided, bring, run) => {
      if (bug.writesFirst) await writeFirst(deps, bring(seen!), decided);
      const stand = stored.cells.get(decided.meta!.id)!;
      return commit(bug.commit?.(decided, stand) ?? decided, seen, bring, run);
    },
  };
}

/**
 * Half of the worlds go the short way; nobody may notice in which it is so. There it is tried each
 * time, also where it was in vain a moment ago: that spares reads, and would spare races here.
 */
export function drawShortPasses(
  random: SeededRandom,
  functions: () => { shortPasses(call: Call, busy: BusyCells): ShortPasses },
): ((call: Call) => ShortPasses) | null {
  if (random.chance(0.5)) return null;
  const busy = createBusyCells(0);
  return (call) => functions().shortPasses(call, busy);
}

type Call = Invocation['call'];

/** The planted bug of a pass that writes to edges before it has committed. */
async function writeFirst({ shadows }: ShortPassDeps, cell: Cell, plan: Plan): Promise<void> {
  const planned = applyPlan(cell, plan);
  for (const edge of plan.shadows) {
    const work = planned.edges.get(edge)?.work;
    if (work == null) continue;
    await shadows.write(edge, encodeWork(workOf(work, planned.jobs), work.removed));
  }
}
