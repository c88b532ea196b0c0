import type { Cell } from '../../../core/model/cell.ts';
import { passAttemptsMax, tickEveryMs } from '../../../core/model/limits.ts';
import type { CellId, JobId } from '../../../core/model/names.ts';
import type { Plan } from '../../../core/model/plan.ts';
import { standsStill } from '../../../core/model/unreadable.ts';
import { violationsOf } from '../../../core/scheduler/invariants.ts';
import { type CellDeps, carryOut } from './run-pass.ts';

/**
 * A decision that somebody waits for, committed as a pass is: on the whole cell, at the version
 * that was seen, and again when others committed in between. `contended`: they did each time.
 *
 * `shared` are jobs of which it turned out that their statuses have other authors by now. Nothing
 * else may ever touch such a job until this decision does: it has to be made without them.
 */
export async function decideInCell<D extends { readonly plan: Plan }>(
  deps: CellDeps,
  id: CellId,
  decide: (cell: Cell, nowMs: number, shared: ReadonlySet<JobId>) => D,
): Promise<D | 'no-cell' | 'contended'> {
  const shared = new Set<JobId>();
  for (let conflicts = 0; conflicts < passAttemptsMax; conflicts++) {
    const cell = await deps.store.load(id);
    if (cell === null || standsStill(cell.meta)) return 'no-cell';
    const nowMs = deps.clock.nowMs();
    const decided = decide(cell, nowMs, shared);
    const { plan } = decided;
    if (plan.meta === null) return decided;
    const violations = violationsOf(cell, plan);
    if (violations.length > 0) throw new Error(`a plan for ${id}: ${violations[0]!.sentence}`);
    const outcome = await deps.store.commit(plan);
    if (outcome !== 'committed') {
      if (outcome !== 'conflict') for (const job of outcome.shared) shared.add(job);
      continue;
    }
    await carryOut(deps, cell, plan, { nowMs, conflicts });
    const lookAtMs = plan.lookAgainAtMs;
    if (lookAtMs !== null && lookAtMs < nowMs + tickEveryMs) {
      await deps.timers.lookAgain(id, lookAtMs);
    }
    return decided;
  }
  return 'contended';
}
