import { leaseTargetSecondsDefault, rewritesMax, shadowRewriteMs } from '../../model/limits.ts';
import { isEmpty } from '../../model/ranges.ts';
import { isApplied } from '../leases/epochs.ts';
import { type EdgeDraft, lookAgain, type Pass } from '../pass/draft.ts';
import { canAfford, edgeCost, touchEdge } from '../plan/rows.ts';

/**
 * A committed document that its edge does not apply is written again: the process that should have
 * written it may have died in between, and a delta may be lost. Repeats are spaced ever wider; only
 * connected edges are repeated to, since one that connects reads its document anyway. An edge that
 * was only given more while it still works acknowledges it only with its next report, so that a
 * refill does not cost a report of its own.
 */
export function rewriteShadows(pass: Pass): void {
  for (const edge of pass.edges.values()) {
    if (edge.bumped) {
      edge.rewrites = 0;
      lookAgain(pass, pass.nowMs + shadowRewriteMs);
      continue;
    }
    if (isApplied(edge) || edge.source.report?.connected !== true) continue;
    const firstMs = isAwaited(edge) ? shadowRewriteMs : leaseTargetSecondsDefault * 1000;
    const waitMs = firstMs * 2 ** Math.min(edge.rewrites, doublingsMax);
    const atMs = edge.before.writtenAtMs + waitMs;
    if (pass.nowMs < atMs) {
      lookAgain(pass, atMs);
    } else if (canAfford(pass, edgeCost(edge))) {
      touchEdge(pass, edge, true);
      edge.rewrites++;
      lookAgain(pass, pass.nowMs + 2 * waitMs);
    }
  }
}

const doublingsMax = rewritesMax + 4;

/**
 * Whether the edge should have reported by now that it applied the document: it was idle, or asked
 * for something back.
 */
function isAwaited({ before, source, rewrites }: EdgeDraft): boolean {
  if (rewrites > 0 || (source.report?.receivedAtMs ?? 0) > before.writtenAtMs) return true;
  let working = false;
  for (const lease of before.leases.values()) {
    if (!isEmpty(lease.reclaiming)) return true;
    if (!isEmpty(lease.ranges) && lease.grantedAtMs < before.writtenAtMs) working = true;
  }
  return !working;
}
