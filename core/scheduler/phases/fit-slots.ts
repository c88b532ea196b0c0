import { count, emptyRanges, isEmpty } from '../../model/ranges.ts';
import { reclaim, unstartedOf } from '../leases/take-back.ts';
import { unavailable } from '../pass/candidates.ts';
import { type Amounts, copyAmounts, fitOf, reservedBy, slotsInUse } from '../pass/capacity.ts';
import {
  changeLease,
  type EdgeDraft,
  isActive,
  type LeaseDraft,
  type Pass,
} from '../pass/draft.ts';
import { canAfford, leaseCost, touchLease } from '../plan/rows.ts';

/**
 * Slots follow the edge: fewer when its capacity was reduced below what is reserved (what runs may
 * end), more when it has room that nobody waits for and a lease there has chunks that could run.
 */
export function shrinkSlots(pass: Pass): void {
  for (const edge of pass.edges.values()) {
    if (!isShort(edge.free) || edge.source.unreadable !== undefined) continue;
    // It took what it holds, and orders it by itself.
    if (edge.source.config.pull != null) continue;
    const leases = [...edge.leases.values()].filter(isActive);
    leases.sort((a, b) => rankOf(a) - rankOf(b));
    for (const lease of leases) {
      if (!shrinkLease(pass, edge, lease)) return;
      const unstarted = unstartedOf(lease);
      if (lease.slots === 0 && !isEmpty(unstarted)) reclaim(pass, lease, unstarted);
    }
  }
}

/**
 * Takes slots away while the edge promises more than it has; answers `false` when there is no row
 * for it.
 */
function shrinkLease(pass: Pass, edge: EdgeDraft, lease: LeaseDraft): boolean {
  let slots = promisedBy(lease);
  while (slots > 0 && isShort(promisedFree(edge))) {
    if (!canAfford(pass, leaseCost(lease))) return false;
    slots--;
    changeLease(lease, { slots });
    touchLease(pass, lease, true);
  }
  return true;
}

function promisedBy(lease: LeaseDraft): number {
  return Math.min(lease.slots, count(lease.ranges));
}

/** What would be free if nothing ran beyond its slots: chunks that do are on their way out. */
function promisedFree(edge: EdgeDraft): Amounts {
  const free = copyAmounts(edge.capacity);
  for (const lease of edge.leases.values()) {
    reservedBy({ ...lease, running: emptyRanges }, free, -1);
  }
  return free;
}

/** The least important lease gives way first; of equals the one granted last. */
function rankOf(lease: LeaseDraft): number {
  return lease.job.intent.spec.priority - lease.grantedAtMs / Number.MAX_SAFE_INTEGER;
}

function isShort(free: Amounts): boolean {
  if (free.power < 0) return true;
  for (const amount of free.others.values()) if (amount < 0) return true;
  return false;
}

export function widenSlots(pass: Pass): void {
  for (const edge of pass.edges.values()) {
    if (edge.free.power <= 0 || edge.leases.size === 0) continue;
    for (const lease of edge.leases.values()) {
      if (!isActive(lease) || !isEmpty(lease.reclaiming)) continue;
      const idle = count(lease.ranges) - slotsInUse(lease);
      if (idle <= 0 || lease.job.endReason !== null || lease.job.intent.blockedByDependencies)
        continue;
      const fit = Math.min(idle, fitOf(lease.job.demand, edge.free), withinQuota(pass, lease));
      if (fit <= 0 || unavailable(pass, edge) !== null) continue;
      if (!canAfford(pass, leaseCost(lease))) return;
      widen(pass, lease, fit);
    }
  }
}

/** What its queue holds grows with it: the next lease of the queue is measured by that. */
function widen(pass: Pass, lease: LeaseDraft, more: number): void {
  const queue = pass.queues?.get(lease.job.intent.spec.queue);
  if (queue !== undefined) reservedBy(lease, queue.held, -1);
  changeLease(lease, { slots: slotsInUse(lease) + more });
  if (queue !== undefined) reservedBy(lease, queue.held, 1);
  touchLease(pass, lease, true);
}

function withinQuota(pass: Pass, lease: LeaseDraft): number {
  const queue = pass.queues?.get(lease.job.intent.spec.queue);
  const quota = queue?.config.quota ?? null;
  if (queue === undefined || quota === null) return Number.POSITIVE_INFINITY;
  return Math.floor((quota - queue.held.power) / lease.job.demand.power);
}
