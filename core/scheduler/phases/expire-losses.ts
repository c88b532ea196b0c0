import {
  lostEdgesHoldMin,
  lostHoldMs,
  lostShareMax,
  missedReportsMax,
  reportEveryMsMax,
  rewritesMax,
  takenWithinMs,
  unresponsiveRewritesMin,
} from '../../model/limits.ts';
import { lastSeenAtMs, silenceMsMax } from '../../model/presence.ts';
import { count, isEmpty, subtract } from '../../model/ranges.ts';
import { everywhereOf, isService, startElsewhere } from '../instances/instance-ends.ts';
import { isApplied } from '../leases/epochs.ts';
import { revoke, takeAway } from '../leases/take-back.ts';
import { type EdgeDraft, isActive, type LeaseDraft, lookAgain, type Pass } from '../pass/draft.ts';
import { blameLost } from '../pass/poison.ts';
import { forgetTaken } from '../pass/taken.ts';
import {
  canAfford,
  edgeCost,
  jobCost,
  leaseCost,
  spend,
  touchEdge,
  touchLease,
} from '../plan/rows.ts';

/**
 * Edges that are gone give their chunks back. Grace is the job's; it counts from the disconnection,
 * or from when the control plane itself was well again. Of an edge over HTTPS it counts from its
 * last contact, and is as long as a few of its polls at least. An edge that is connected but does
 * not report although it must is gone too. When too much of the cell would be lost at once the
 * verdict is held first, because that looks like trouble of our own.
 *
 * An edge that does not apply what it is given is unresponsive, whether it reports or not: what it
 * does not work on goes to others, after the job's grace where it never took the lease, and it gets
 * nothing until it applies its document.
 *
 * A loss is no failed attempt, but a chunk that was running on several lost edges is treated as the
 * cause.
 */
export function expireLosses(pass: Pass): void {
  const verdicts: LeaseDraft[] = [];
  const lost = new Set<EdgeDraft>();
  const others = new Set<EdgeDraft>();
  for (const edge of pass.edges.values()) {
    if (edge.lostAtMs !== null) {
      if (hasReturned(edge)) recover(pass, edge);
      else if (pass.nowMs - edge.lostAtMs < lostHoldMs) others.add(edge);
    }
    for (const lease of edge.leases.values()) {
      if (!isActive(lease)) continue;
      const dueAtMs = lossAtMs(pass, lease);
      if (dueAtMs === null) continue;
      if (dueAtMs > pass.nowMs || !pass.verdictsAllowed) {
        if (dueAtMs > pass.nowMs) lookAgain(pass, dueAtMs);
        if (dueAtMs - pass.nowMs < lostHoldMs) others.add(edge);
        continue;
      }
      verdicts.push(lease);
      lost.add(edge);
    }
  }
  if (!areVerdictsHeld(pass, lost.size, new Set([...lost, ...others]).size)) {
    for (const lease of verdicts) loseLease(pass, lease);
  }
  for (const edge of pass.edges.values()) moveUnstarted(pass, edge);
}

/**
 * Of an edge that goes on running what it has and applies no newer document, instances that it
 * was to start go elsewhere: those that run there keep its lease for ever.
 */
function moveUnstarted(pass: Pass, edge: EdgeDraft): void {
  if (edge.before.rewrites < unresponsiveRewritesMin || isApplied(edge)) return;
  for (const lease of edge.leases.values()) {
    if (!isService(lease.job) || everywhereOf(lease.job) !== null) continue;
    const unstarted = subtract(lease.ranges, lease.running);
    if (isEmpty(lease.running) || isEmpty(unstarted)) continue;
    if (!canAfford(pass, leaseCost(lease) + count(unstarted))) return;
    startElsewhere(pass, lease, unstarted, 'its edge does not take its work');
    takeAway(lease, unstarted);
    touchLease(pass, lease, true);
  }
}

/**
 * A connection alone proves nothing: an edge that connects again and again and never works would be
 * given work again and again. Its document, which says that it lost its work, has to be applied.
 */
function hasReturned(edge: EdgeDraft): boolean {
  return edge.source.report?.connected === true && isApplied(edge);
}

function recover(pass: Pass, edge: EdgeDraft): void {
  if (!canAfford(pass, edgeCost(edge))) return;
  edge.lostAtMs = null;
  touchEdge(pass, edge, false);
}

/** When this lease is to be called lost, as things stand; `null` when nothing points to it. */
function lossAtMs(pass: Pass, lease: LeaseDraft): number | null {
  const { report } = lease.edge.source;
  const graceMs = graceMsOf(lease);
  const sinceMs = Math.max(lastSeenAtMs(report), pass.health.healthySinceMs);
  if (report === null || !report.connected) return sinceMs + graceMs;
  if (isUnresponsiveTo(lease)) return lease.grantedAtMs;
  const grantedMs = Math.max(lease.grantedAtMs, pass.health.healthySinceMs);
  const noReportMs = missedReportsMax * reportEveryMsMax;
  // An edge that connects again and again and never reports is lost as well.
  const lastReportAtMs = Math.max(report.receivedAtMs, grantedMs);
  return Math.min(
    Math.max(sinceMs, lease.grantedAtMs) + noReportMs,
    lastReportAtMs + 2 * noReportMs,
    report.poll === undefined ? Number.POSITIVE_INFINITY : sinceMs + graceMs,
    isTaken(lease) ? Number.POSITIVE_INFINITY : grantedMs + Math.max(graceMs, takenWithinMs),
    isShown(lease) ? Number.POSITIVE_INFINITY : grantedMs + graceMs,
  );
}

function graceMsOf({ job, edge }: LeaseDraft): number {
  const graceMs = job.intent.spec.lostAfterSeconds * 1000;
  const poll = edge.source.report?.poll;
  return poll === undefined ? graceMs : Math.max(graceMs, silenceMsMax(poll));
}

/**
 * `false`: nothing shows that the edge ever took the lease: it did not report since, or it said
 * again and again and still reports an older document.
 */
function isTaken({ edge, running, doneHere, grantedAtMs }: LeaseDraft): boolean {
  if (isApplied(edge) || !isEmpty(running)) return true;
  if ((edge.source.report?.receivedAtMs ?? 0) < grantedAtMs) return false;
  return edge.before.rewrites < rewritesMax || !isEmpty(doneHere);
}

/**
 * Whether an edge that took the work by itself shows it: it runs, some of it has ended, or its last
 * report says that it stands in the queue there. Of work that was given nobody asks that.
 */
function isShown({ edge, job, running, doneHere, deadHere }: LeaseDraft): boolean {
  if (edge.source.config.pull == null) return true;
  if (!isEmpty(running) || !isEmpty(doneHere) || !isEmpty(deadHere)) return true;
  return edge.source.report?.progress?.queued?.includes(job.id) === true;
}

/**
 * It has reported since the lease was granted, its document was written again and again, and it has
 * applied none.
 */
function isUnresponsiveTo({ edge, running, grantedAtMs }: LeaseDraft): boolean {
  if (edge.before.rewrites < unresponsiveRewritesMin || isApplied(edge) || !isEmpty(running))
    return false;
  return (edge.source.report?.receivedAtMs ?? 0) > grantedAtMs;
}

/**
 * The breaker: too many at once are believed only after a while, and an alarm is raised. Together
 * with those lost now count those lost a moment ago, and those whose grace is nearly over: a broker
 * notices one after the other.
 */
function areVerdictsHeld(pass: Pass, lost: number, together: number): boolean {
  const tooMany =
    lost > 0 && together >= lostEdgesHoldMin && together > lostShareMax * pass.edges.size;
  const { holdSinceMs } = pass.health;
  if (!tooMany) {
    if (holdSinceMs === null) return false;
    pass.health = { ...pass.health, holdSinceMs: null };
    if (lost === 0) return false;
    // They were missed together and come back one after the other: the last of them get their grace
    // anew.
    pass.health = { ...pass.health, healthySinceMs: pass.nowMs };
    lookAgain(pass, pass.nowMs);
    return true;
  }
  if (holdSinceMs === null) {
    pass.health = { ...pass.health, holdSinceMs: pass.nowMs };
    pass.alarms.push({ kind: 'mass-loss', lost: together, edges: pass.edges.size });
  }
  const untilMs = (holdSinceMs ?? pass.nowMs) + lostHoldMs;
  if (pass.nowMs >= untilMs) return false;
  lookAgain(pass, untilMs);
  return true;
}

function loseLease(pass: Pass, lease: LeaseDraft): void {
  if (!isUnknownTo(lease) && !blameLost(pass, lease)) return;
  const instances = isService(lease.job) ? count(lease.ranges) : 0;
  if (!canAfford(pass, leaseCost(lease) + instances)) return;
  if (instances > 0) startElsewhere(pass, lease, lease.ranges, 'its edge was lost');
  if (lease.edge.source.config.pull != null && !isShown(lease)) {
    noteLost(pass, lease);
    forgetTaken(pass, lease.edge, lease.job.intent.submission?.id);
  }
  revoke(pass, lease);
  markLost(pass, lease);
}

/**
 * Chunks that their edge never got to know did it no harm: it goes on reporting an older document,
 * or it gave no sign of life at all. One that came back since and says nothing may have been taken
 * down by them.
 */
function isUnknownTo(lease: LeaseDraft): boolean {
  if (isUnresponsiveTo(lease)) return true;
  if (isTaken(lease)) return false;
  const { report } = lease.edge.source;
  const reportedSince = (report?.receivedAtMs ?? 0) > lease.grantedAtMs;
  return reportedSince || lastSeenAtMs(report) <= lease.grantedAtMs;
}

/** In the timeline of a job whose status this cell writes. */
function noteLost(pass: Pass, { job, edge }: LeaseDraft): void {
  if (!job.foldedByCell || job.lostBy !== null || !canAfford(pass, jobCost(job) + 1)) return;
  job.lostBy = edge.name;
  spend(pass, 1);
}

function markLost(pass: Pass, lease: LeaseDraft): void {
  lease.edge.lostAtMs ??= pass.nowMs;
  touchEdge(pass, lease.edge, true);
}
