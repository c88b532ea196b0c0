import { rewritesMax, shadowRewriteMs } from '../limits.ts';
import { type EdgeDraft, lookAgain, type Pass } from './draft.ts';
import { canAfford, edgeCost, touchEdge } from './rows.ts';

/**
 * A committed document that its edge does not apply is written again: the process that should have written it may have
 * died in between, and a delta may be lost. Repeats are spaced ever wider; only connected edges are repeated to, since
 * one that connects reads its document anyway.
 */
export function rewriteShadows(pass: Pass): void {
  for (const edge of pass.edges.values()) {
    if (edge.bumped) {
      edge.rewrites = 0;
      lookAgain(pass, pass.nowMs + shadowRewriteMs);
      continue;
    }
    if (isApplied(edge) || edge.source.report?.connected !== true) continue;
    const waitMs = shadowRewriteMs * 2 ** Math.min(edge.rewrites, doublingsMax);
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

function isApplied(edge: EdgeDraft): boolean {
  const { before, source } = edge;
  return before.epoch === 0 || (source.report?.prog?.epoch ?? -1) >= before.epoch;
}
