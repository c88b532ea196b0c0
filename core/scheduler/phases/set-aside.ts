import { asideShareMax, edgeFailuresMax, edgeSetAsideMs } from '../../model/limits.ts';
import type { Pass } from '../pass/draft.ts';
import { canAfford, edgeCost, touchEdge } from '../pass/rows.ts';

/**
 * An edge on which one chunk after the other fails takes work from healthy ones and spoils it: it
 * is set aside for a while, visibly. When many edges look like that the jobs are to blame, so only
 * a part of the cell is ever set aside.
 */
export function setEdgesAside(pass: Pass): void {
  let aside = 0;
  for (const edge of pass.edges.values()) {
    if (edge.asideUntilMs !== null && edge.asideUntilMs > pass.nowMs) aside++;
  }
  for (const edge of pass.edges.values()) {
    if (edge.failuresInRow < edgeFailuresMax) continue;
    if (aside + 1 > Math.max(1, asideShareMax * pass.edges.size) || pass.edges.size < 2) return;
    if (!canAfford(pass, edgeCost(edge))) return;
    aside++;
    edge.asideUntilMs = pass.nowMs + edgeSetAsideMs;
    // One more failure after its time sets it aside again.
    edge.failuresInRow = edgeFailuresMax - 1;
    touchEdge(pass, edge, false);
    pass.alarms.push({ kind: 'edge-aside', edge: edge.name, failures: edgeFailuresMax });
  }
}
