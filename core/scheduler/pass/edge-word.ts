import { isApplied } from '../leases/epochs.ts';
import { canAfford, edgeCost, touchEdge } from '../plan/rows.ts';
import type { EdgeDraft, Pass } from './draft.ts';

/**
 * Whether what an edge reports was true at this moment or later: its report has applied a document
 * that was written no earlier. Silence says nothing, because a report is up to a second late, and
 * when it arrived says nothing of when it was written. An edge whose newest document is older is
 * asked: it gets the same again, and whoever runs instances answers soon.
 */
export function hasSaidSince(pass: Pass, edge: EdgeDraft, sinceMs: number): boolean {
  const { report } = edge.source;
  if (edge.before.writtenAtMs >= sinceMs) {
    // What a pass has no rows for it applies in part.
    const isWhole = report?.progress?.sequence === edge.acknowledgedSequence;
    return isWhole && isApplied(edge);
  }
  if (report?.connected !== true) return false;
  if (canAfford(pass, edgeCost(edge))) touchEdge(pass, edge, true);
  return false;
}
