import type { Cell, CellJob } from '../model/cell.ts';
import { planRowsMax, suspensionRoundsMax } from '../model/limits.ts';
import type { JobId } from '../model/names.ts';
import type { Plan } from '../model/plan.ts';
import { type Violation, violationsOf } from './invariants.ts';
import { planOf } from './plan/plan-of.ts';
import { decide } from './reconcile.ts';

/**
 * A pass that trusts itself no further than its invariants. Where a plan would break one, the jobs
 * that it is about are suspended and the pass decides again without them; so one job about which
 * nothing sensible can be decided does not stop its cell. `null` when nobody is left to blame: then
 * nothing is committed, and the cell stays as it was.
 */
export type SafeDecision = {
  readonly plan: Plan | null;
  /** What was refused on the way, for whoever runs the system. */
  readonly refused: readonly Violation[];
};

export function reconcileSafely(
  cell: Cell,
  nowMs: number,
  shared: ReadonlySet<JobId> = new Set(),
): SafeDecision {
  const suspended = new Map<JobId, CellJob>();
  const refused: Violation[] = [];
  for (let round = 0; round <= suspensionRoundsMax; round++) {
    const plan = planOf(decide(cell, nowMs, planRowsMax, suspended, shared));
    const violations = violationsOf(cell, plan);
    if (violations.length === 0) return { plan, refused };
    refused.push(...violations);
    const blamed = suspended.size;
    for (const id of violations.flatMap(({ jobs }) => jobs)) {
      const job = cell.jobs.get(id);
      if (job !== undefined) suspended.set(id, job);
    }
    if (suspended.size === blamed) break;
  }
  return { plan: null, refused };
}
