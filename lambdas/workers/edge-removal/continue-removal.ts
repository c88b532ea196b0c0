import { removalLookSecondsMax } from '../../../core/model/limits.ts';
import type { EdgeName } from '../../../core/model/names.ts';
import type { ControlPlane } from '../../../core/ports/control-plane.ts';
import type { EdgesStore } from '../../../core/ports/edges.ts';
import type { EdgeRemovals } from '../../../core/ports/timers.ts';
import { type ClusterRemains, finishRemoval } from './finish-removal.ts';

/**
 * The end of edges on their way out. The scheduler takes the rows of an edge out of its cell once
 * nothing runs there any more; only then its certificate, its shadows and its name go. Until then
 * the edge is looked at again, ever more rarely.
 */
export type RemovalDeps = ClusterRemains & {
  readonly edges: EdgesStore;
  readonly iot: ControlPlane;
  readonly removals: EdgeRemovals;
};

export type Removal = { readonly edge: EdgeName; readonly tries: number };

export async function continueRemoval(
  deps: RemovalDeps,
  removal: Removal,
  nowMs: number,
): Promise<void> {
  const identity = await deps.edges.remains(removal.edge);
  if (identity === null || identity.removingSinceMs === null) return;
  const present = await deps.edges.load(identity.cell, identity.edge);
  if (present === null && (await finishRemoval(deps, identity, nowMs))) return;
  const tries = removal.tries + 1;
  const delaySeconds = Math.min(removalLookSecondsMax, 2 ** Math.min(tries, 10));
  await deps.removals.lookAt(removal.edge, tries, delaySeconds);
}
