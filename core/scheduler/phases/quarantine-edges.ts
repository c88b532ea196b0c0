import { edgeFailuresMax, edgeQuarantineMs, quarantineShareMax } from '../../model/limits.ts';
import type { Pass } from '../pass/draft.ts';
import { canAfford, edgeCost, touchEdge } from '../plan/rows.ts';

/**
 * An edge on which one chunk after the other fails takes work from healthy ones and spoils it: it
 * is quarantined for a while, visibly. When many edges look like that the jobs are to blame, so
 * only a part of the cell is ever quarantined.
 */
export function quarantineEdges(pass: Pass): void {
  let quarantined = 0;
  for (const edge of pass.edges.values()) {
    if (edge.quarantinedUntilMs !== null && edge.quarantinedUntilMs > pass.nowMs) quarantined++;
  }
  for (const edge of pass.edges.values()) {
    if (edge.failuresInRow < edgeFailuresMax) continue;
    if (quarantined + 1 > Math.max(1, quarantineShareMax * pass.edges.size) || pass.edges.size < 2)
      return;
    if (!canAfford(pass, edgeCost(edge))) return;
    quarantined++;
    edge.quarantinedUntilMs = pass.nowMs + edgeQuarantineMs;
    // One more failure after its time quarantines it again.
    edge.failuresInRow = edgeFailuresMax - 1;
    touchEdge(pass, edge, false);
    pass.alarms.push({ kind: 'edge-quarantined', edge: edge.name, failures: edgeFailuresMax });
  }
}
