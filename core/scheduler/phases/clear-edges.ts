import { diskTroubleOf } from '../../model/edge-facts.ts';
import { rewritesMax } from '../../model/limits.ts';
import { isEmpty, subtract } from '../../model/ranges.ts';
import { isDoubled } from '../../model/starts.ts';
import { moveInstances } from '../instances/instance-moves.ts';
import { isApplied } from '../leases/epochs.ts';
import { holdsSomething, reclaim, revoke, unstartedOf } from '../leases/take-back.ts';
import { type EdgeDraft, isActive, lookAgain, type Pass } from '../pass/draft.ts';
import { canAfford, edgeCost, leaseCost, removedEdgeRows, spend, touchEdge } from '../plan/rows.ts';

/**
 * Edges that shall hold less: draining, leaving, quarantined, used by two
 * agents, or with a disk that takes nothing.
 * What they have not started moves, in two phases while they can answer; what runs may end, until
 * the drain's deadline. A forced removal takes everything at once.
 */
export function clearEdges(pass: Pass): void {
  for (const edge of pass.edges.values()) {
    const { drain, removing } = edge.source.config;
    if (removing?.force === true) revokeAll(pass, edge);
    else if (removing !== null || drain !== null) drainEdge(pass, edge);
    else if (shallHoldLess(pass, edge)) {
      returnUnstarted(pass, edge);
    }
    dropUnknownLeases(pass, edge);
    if (removing !== null && (removing.force || hasStopped(edge))) removeWhenEmpty(pass, edge);
  }
}

function shallHoldLess(pass: Pass, edge: EdgeDraft): boolean {
  if (isQuarantined(pass, edge) || isDoubled(edge.starts)) return true;
  return diskTroubleOf(edge.source.facts) !== null;
}

function isQuarantined(pass: Pass, edge: EdgeDraft): boolean {
  if (edge.quarantinedUntilMs === null || edge.quarantinedUntilMs <= pass.nowMs) return false;
  lookAgain(pass, edge.quarantinedUntilMs);
  return true;
}

function revokeAll(pass: Pass, edge: EdgeDraft): void {
  for (const lease of edge.leases.values()) {
    if (isActive(lease) && canAfford(pass, leaseCost(lease))) revoke(pass, lease);
  }
}

function drainEdge(pass: Pass, edge: EdgeDraft): void {
  const deadlineAtMs = edge.source.config.drain?.deadlineAtMs ?? null;
  if (deadlineAtMs !== null && pass.nowMs >= deadlineAtMs) {
    revokeAll(pass, edge);
    return;
  }
  if (deadlineAtMs !== null && holdsSomething(edge)) lookAgain(pass, deadlineAtMs);
  moveInstances(pass, edge);
  returnUnstarted(pass, edge);
}

function returnUnstarted(pass: Pass, edge: EdgeDraft): void {
  for (const lease of edge.leases.values()) {
    if (isEmpty(unstartedOf(lease))) continue;
    if (!canAfford(pass, leaseCost(lease))) return;
    reclaim(pass, lease, subtract(lease.ranges, lease.running));
  }
}

/** Leases of jobs that are not in the cell any more: the edge must forget them. */
function dropUnknownLeases(pass: Pass, edge: EdgeDraft): void {
  for (const [id, lease] of edge.before.leases) {
    if (pass.jobs.has(id) || pass.suspended.has(id) || isEmpty(lease.ranges)) continue;
    if (canAfford(pass, edgeCost(edge))) touchEdge(pass, edge, true);
    return;
  }
}

/**
 * What was taken from an edge that can answer runs on there until it applies that, and without its
 * rows its document is written no more. One that is away, or applies nothing, is not waited for.
 */
function hasStopped(edge: EdgeDraft): boolean {
  const { report } = edge.source;
  if (report?.connected !== true) return true;
  const isConfirmed = !edge.bumped && (isApplied(edge) || edge.rewrites >= rewritesMax);
  if (isConfirmed) return true;
  const said = [...(report.progress?.jobs.values() ?? [])];
  return said.every(({ running }) => isEmpty(running));
}

function removeWhenEmpty(pass: Pass, edge: EdgeDraft): void {
  if (holdsSomething(edge)) return;
  if (!canAfford(pass, edgeCost(edge) + removedEdgeRows)) return;
  touchEdge(pass, edge, false);
  spend(pass, removedEdgeRows);
  edge.removed = true;
}
