import { isEmpty, subtract, union } from '../../model/ranges.ts';
import { changeLease, type EdgeDraft, type LeaseDraft, type Pass } from '../pass/draft.ts';
import { canAfford, leaseCost, touchLease } from '../plan/rows.ts';

/**
 * An agent that stopped in order has said what runs on without it; the rest it gave back, so that
 * nobody waits for a grace. What it finished all the same still counts when it reports again.
 */
export function letGo(pass: Pass): void {
  for (const edge of pass.edges.values()) {
    if (!hasLeft(edge)) continue;
    for (const lease of edge.leases.values()) {
      if (isEmpty(subtract(lease.ranges, lease.running))) continue;
      if (!canAfford(pass, leaseCost(lease))) return;
      keepRunning(lease);
      touchLease(pass, lease, true);
    }
  }
}

/** Its last report said goodbye, and all of it has been applied. */
function hasLeft({ source, acknowledgedSequence }: EdgeDraft): boolean {
  const { report } = source;
  if (report?.progress?.goodbye !== true || report.connected) return false;
  return report.progress.sequence === acknowledgedSequence;
}

function keepRunning(lease: LeaseDraft): void {
  const { ranges, running } = lease;
  lease.heldBefore = union(lease.heldBefore, subtract(ranges, running));
  changeLease(lease, {
    ranges: running,
    reclaiming: subtract(lease.reclaiming, ranges),
    reclaimEpoch: null,
  });
}
