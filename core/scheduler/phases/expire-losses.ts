import {
  lostEdgesHoldMin,
  lostHoldMs,
  lostShareMax,
  missedReportsMax,
  reportEveryMsMax,
  unresponsiveRewritesMin,
} from '../../model/limits.ts';
import { isEmpty } from '../../model/ranges.ts';
import {
  type EdgeDraft,
  isActive,
  isApplied,
  type LeaseDraft,
  lookAgain,
  type Pass,
} from '../pass/draft.ts';
import { revoke } from '../pass/leases.ts';
import { blameLost } from '../pass/poison.ts';
import { canAfford, edgeCost, leaseCost, touchEdge } from '../pass/rows.ts';

/**
 * Edges that are gone give their chunks back. Grace is the job's; it counts from the disconnection,
 * or from when the plane itself was well again. An edge that is connected but does not report
 * although it must is gone too. When too much of the cell would be lost at once the verdict is held
 * first, because that looks like trouble of our own.
 *
 * An edge that reports and does not apply what it is given is unresponsive: what it does not work
 * on goes to others, and it gets nothing until it applies its document.
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
  if (areVerdictsHeld(pass, lost.size, new Set([...lost, ...others]).size)) return;
  for (const lease of verdicts) loseLease(pass, lease);
}

/** One that was lost while it was connected has to apply its document first. */
function hasReturned(edge: EdgeDraft): boolean {
  const { report } = edge.source;
  if (report?.connected !== true) return false;
  return report.connectionAtMs > (edge.lostAtMs ?? 0) || isApplied(edge);
}

function recover(pass: Pass, edge: EdgeDraft): void {
  if (!canAfford(pass, edgeCost(edge))) return;
  edge.lostAtMs = null;
  touchEdge(pass, edge, false);
}

/** When this lease is to be called lost, as things stand; `null` when nothing points to it. */
function lossAtMs(pass: Pass, lease: LeaseDraft): number | null {
  const { report } = lease.edge.source;
  const graceMs = lease.job.intent.spec.lostAfterSeconds * 1000;
  const lastSeenAtMs = Math.max(report?.receivedAtMs ?? 0, report?.connectionAtMs ?? 0);
  const sinceMs = Math.max(lastSeenAtMs, pass.health.healthySinceMs);
  if (report === null || !report.connected) return sinceMs + graceMs;
  if (isUnresponsiveTo(lease)) return lease.grantedAtMs;
  const noReportMs = missedReportsMax * reportEveryMsMax;
  // An edge that connects again and again and never reports is lost as well.
  const lastReportAtMs = Math.max(
    report.receivedAtMs,
    pass.health.healthySinceMs,
    lease.grantedAtMs,
  );
  return Math.min(
    Math.max(sinceMs, lease.grantedAtMs) + noReportMs,
    lastReportAtMs + 2 * noReportMs,
  );
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
  // Chunks that their edge never got to know did it no harm.
  if (!isUnresponsiveTo(lease) && !blameLost(pass, lease)) return;
  if (!canAfford(pass, leaseCost(lease))) return;
  revoke(pass, lease);
  markLost(pass, lease);
}

function markLost(pass: Pass, lease: LeaseDraft): void {
  lease.edge.lostAtMs ??= pass.nowMs;
  touchEdge(pass, lease.edge, true);
}
