import {
  count,
  first,
  formatRanges,
  intersect,
  isEmpty,
  rangeOf,
  subtract,
} from '../../model/ranges.ts';
import { unavailableDefault } from '../../services/limits.ts';
import { takeAway } from '../leases/take-back.ts';
import {
  type EdgeDraft,
  type JobDraft,
  type LeaseDraft,
  lookAgain,
  type Pass,
} from '../pass/draft.ts';
import { canAfford, leaseCost, touchLease } from '../plan/rows.ts';
import { everywhereOf, isService, openInstancesOf, startElsewhere } from './instance-ends.ts';
import { progressOf, readyOf, roomFor, standInsOf } from './stand-ins.ts';

/**
 * Instances leave an edge that is drained while others stand in for them or, where there is no room
 * for more, while no other of their service is away; and only where there is room for them: what
 * finds none stays until the deadline. Nobody can stop what runs on one that is not connected: it
 * starts elsewhere when its edge is lost, and not before.
 */
export function moveInstances(pass: Pass, edge: EdgeDraft): void {
  if (edge.source.report?.connected !== true) return;
  for (const lease of edge.leases.values()) {
    if (!isService(lease.job) || isEmpty(lease.running)) continue;
    if (everywhereOf(lease.job) !== null) continue;
    while (moveOne(pass, lease)) lookAgain(pass, pass.nowMs);
  }
}

function moveOne(pass: Pass, lease: LeaseDraft): boolean {
  const { job } = lease;
  const chunk = nextToMove(pass, lease);
  if (chunk === undefined || roomFor(pass, job) < 1) return false;
  if (!canAfford(pass, leaseCost(lease) + 1)) return false;
  const one = rangeOf(chunk, chunk + 1);
  const others = formatRanges(standInsOf(job));
  const meanwhile = others === '' ? '' : `; ${others} stands in for it`;
  if (job.standIns !== undefined) job.standIns = { ...job.standIns, atMs: pass.nowMs };
  startElsewhere(pass, lease, one, `its edge is drained${meanwhile}`);
  takeAway(lease, one);
  touchLease(pass, lease, true);
  return true;
}

/** One that is not ready is away already: moving it takes nothing from the service. */
function nextToMove(pass: Pass, lease: LeaseDraft): number | undefined {
  const unready = first(subtract(lease.running, lease.ready));
  if (unready !== undefined) return unready;
  const away = count(openInstancesOf(lease.job)) - count(readyOf(lease.job));
  if (away >= mostAway(pass, lease.job)) return undefined;
  return first(intersect(lease.running, lease.ready));
}

/** Of those that are wanted and those that stand in together. */
function mostAway(pass: Pass, job: JobDraft): number {
  const { update } = job.intent.spec;
  const most = update?.maxUnavailable ?? unavailableDefault;
  if (update === undefined || job.standIns === undefined) return most;
  const more = count(standInsOf(job));
  const progress = progressOf(pass, job, update, job.standIns);
  return progress === 'ready' ? more : progress === 'late' ? most + more : 0;
}
