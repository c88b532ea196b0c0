import { leaseChunksMax, leaseTargetSecondsDefault, progressEveryMs } from '../../model/limits.ts';
import { count, isEmpty, last, rangeOf, subtract } from '../../model/ranges.ts';
import { grant } from '../leases/grant.ts';
import { choose, left, openPicker, type Picker, remove } from '../leases/pick.ts';
import { unstartedOf } from '../leases/take-back.ts';
import { unavailable } from '../pass/candidates.ts';
import { isOverdrawn, slotsInUse } from '../pass/capacity.ts';
import { isActive, type JobDraft, type LeaseDraft, type Pass } from '../pass/draft.ts';
import { yieldsTo } from '../pass/yield.ts';
import { canAfford, leaseCost } from '../plan/rows.ts';

/**
 * Refills leases before they run dry, without new slots. A lease should last about
 * `leaseTargetSeconds` at the measured rate, so that shadow traffic per edge is bounded whatever a
 * chunk takes; it grows by doubling what was done there. Near the end of a job each refill takes
 * only its part of half of what is left, so that the edges finish together. An edge that runs more
 * than it has room for, as after a restore of the table, gets nothing until it does not.
 */
export function topUp(pass: Pass, job: JobDraft): void {
  if (job.leases.length === 0) return;
  const picker = openPicker(pass, job);
  if (left(picker) === 0) return;
  const leases = job.leases.filter((lease) => isActive(lease) && isEmpty(lease.reclaiming));
  const speed = speedOf(leases);
  const needy: { lease: LeaseDraft; has: number; target: number }[] = [];
  for (const lease of leases) {
    if (unavailable(pass, lease.edge) !== null || isOverdrawn(lease.edge.free)) continue;
    const target = targetOf(lease);
    const has = count(unstartedOf(lease));
    // A document that is written anyway takes along what is missing; one for a refill alone waits
    // for half.
    if (has < (lease.edge.bumped ? target : target / 2)) needy.push({ lease, has, target });
  }
  needy.sort((a, b) => a.has / a.target - b.has / b.target);
  for (const { lease, has, target } of needy) {
    const part = speed.of(lease) / speed.total;
    // Of half of what is left the lease takes its part, or its spare chunks when they are more. One
    // that already holds more than its part takes only what it lacks of its spare chunks.
    const fair = Math.floor((left(picker) * part) / 2);
    const most = Math.max(fair, spareOf(lease)) - (has > fair ? has : 0);
    const wanted = Math.min(target - has, most, left(picker));
    if (wanted <= 0 || yieldsTo(pass, lease)) continue;
    if (!canAfford(pass, leaseCost(lease))) return;
    refill(pass, picker, lease, wanted);
  }
}

function refill(pass: Pass, picker: Picker, lease: LeaseDraft, wanted: number): void {
  let chunks = choose(picker, lease, wanted, false);
  const { demand } = lease.job;
  const extra = demand.lastPower - demand.power;
  if (last(chunks) === demand.lastChunk && extra > lease.edge.free.power) {
    chunks = subtract(chunks, rangeOf(demand.lastChunk, demand.lastChunk + 1));
  }
  if (isEmpty(chunks)) return;
  remove(picker, grant(pass, lease, chunks, 0));
}

/** How many unstarted chunks the lease should hold. */
function targetOf(lease: LeaseDraft): number {
  const slots = slotsInUse(lease);
  const done = count(lease.doneHere);
  // Until the edge has shown that it took the lease, it gets what it can run and no more.
  if (done === 0 && isEmpty(lease.running)) return 0;
  const grown = Math.max(slots, 2 * done);
  const { chunkMs } = lease;
  if (chunkMs === null) return Math.min(grown, leaseChunksMax);
  const lasting = Math.floor((slots * leaseTargetSecondsDefault * 1000) / Math.max(chunkMs, 0.001));
  return Math.min(grown, lasting, leaseChunksMax);
}

/** Chunks shorter than a report's way are worth a spare one for each slot, even at the end. */
function spareOf(lease: LeaseDraft): number {
  return lease.chunkMs !== null && lease.chunkMs < progressEveryMs ? slotsInUse(lease) : 0;
}

/** Chunks per time that each lease works off, as far as measured; slots count where it is not. */
function speedOf(leases: readonly LeaseDraft[]): {
  of: (lease: LeaseDraft) => number;
  total: number;
} {
  let sum = 0;
  let measured = 0;
  for (const { chunkMs } of leases) {
    if (chunkMs === null) continue;
    sum += Math.max(chunkMs, 0.001);
    measured++;
  }
  const mean = measured === 0 ? 1 : sum / measured;
  const of = (lease: LeaseDraft) => slotsInUse(lease) / Math.max(lease.chunkMs ?? mean, 0.001);
  let total = 0;
  for (const lease of leases) total += of(lease);
  return { of, total: Math.max(total, Number.MIN_VALUE) };
}
