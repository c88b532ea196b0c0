import { expect } from 'vitest';
import type { Cell, CellEdge, CellJob } from '../../core/model/cell.ts';
import { planRowsMax, shadowBytesMax } from '../../core/model/limits.ts';
import type { Plan } from '../../core/model/plan.ts';
import {
  count,
  emptyRanges,
  formatRanges,
  has,
  intersect,
  isEmpty,
  type RangeSet,
  subtract,
  union,
} from '../../core/model/ranges.ts';
import { encodeWork } from '../../core/protocol/work.ts';
import { workOf } from '../../core/protocol/work-of.ts';
import { capacityOf } from '../../core/scheduler/pass/capacity.ts';

/**
 * What must hold after every single pass, whatever happened before. Throws with a sentence when it
 * does not.
 */

export function leasedIn(cell: Cell, job: CellJob): RangeSet {
  let leased = emptyRanges;
  for (const edge of cell.edges.values()) {
    const lease = edge.work?.leases.get(job.id);
    if (lease === undefined) continue;
    const twice = intersect(leased, lease.ranges);
    if (!isEmpty(twice)) throw new Error(`${formatRanges(twice)} of ${job.id} is leased twice`);
    for (const part of [lease.reclaiming, lease.running]) {
      if (!isEmpty(subtract(part, lease.ranges))) {
        throw new Error(`${job.id} on ${edge.name}: running or reclaimed outside of the lease`);
      }
    }
    leased = union(leased, lease.ranges);
  }
  return leased;
}

/** `pending + leased + done + dead + cancelled = all`, each chunk in exactly one of them. */
export function checkChunks(cell: Cell): void {
  for (const job of cell.jobs.values()) {
    const { ranges, done, dead, cancelled } = job.slice;
    const leased = leasedIn(cell, job);
    let seen = emptyRanges;
    for (const [name, part] of Object.entries({ leased, done, dead, cancelled })) {
      const twice = intersect(seen, part);
      if (!isEmpty(twice)) throw new Error(`${job.id}: ${formatRanges(twice)} is ${name} and more`);
      if (!isEmpty(subtract(part, ranges))) throw new Error(`${job.id}: ${name} outside the slice`);
      seen = union(seen, part);
    }
    for (const chunk of job.slice.retries.keys()) {
      if (has(done, chunk) || has(dead, chunk))
        throw new Error(`${job.id}: retry of ended ${chunk}`);
    }
  }
}

export function freeOf(cell: Cell, edge: CellEdge): Record<string, number> {
  const capacity = capacityOf(edge);
  const free: Record<string, number> = {
    power: capacity.power,
    ...Object.fromEntries(capacity.others),
  };
  for (const [id, lease] of edge.work?.leases ?? []) {
    const job = cell.jobs.get(id);
    if (job === undefined) continue;
    const { chunking, spec } = job.intent;
    const slots = Math.min(lease.slots, count(lease.ranges));
    const withLast = slots > 0 && has(lease.ranges, chunking.chunks - 1);
    const extra = withLast ? chunking.lastChunkPower - chunking.chunkPower : 0;
    free.power! -= slots * chunking.chunkPower + extra;
    for (const [name, amount] of Object.entries(spec.resources)) {
      free[name] = (free[name] ?? 0) - slots * amount;
    }
  }
  return free;
}

export function checkCapacity(cell: Cell): void {
  for (const edge of cell.edges.values()) {
    if (edge.config.pull != null) continue;
    for (const [name, amount] of Object.entries(freeOf(cell, edge))) {
      if (amount < 0) throw new Error(`${edge.name} has ${amount} ${name} free`);
    }
  }
}

export function checkDocuments(cell: Cell): void {
  for (const edge of cell.edges.values()) {
    if (edge.work === null) continue;
    const bytes = JSON.stringify(
      encodeWork(workOf(edge.work, cell.jobs), edge.work.removed),
    ).length;
    if (bytes > shadowBytesMax) throw new Error(`the document of ${edge.name} has ${bytes} bytes`);
  }
}

export function rowsOf(plan: Plan): number {
  return (
    plan.works.size +
    plan.slices.size +
    3 * plan.endedJobs.size +
    4 * plan.removedEdges.size +
    plan.jobStatuses.size +
    plan.executions.length +
    plan.chunkEnds.length
  );
}

/**
 * What a step may not undo: ended chunks stay ended, closed edges get nothing, a plan fits a
 * transaction.
 */
export function checkStep(before: Cell, plan: Plan, after: Cell, nowMs: number): void {
  const rows = rowsOf(plan);
  if (rows > planRowsMax) throw new Error(`the plan has ${rows} rows`);
  for (const job of after.jobs.values()) {
    const old = before.jobs.get(job.id)!.slice;
    if (!isEmpty(subtract(old.done, job.slice.done))) throw new Error(`${job.id}: done was undone`);
    const retried = job.slice.retryEpoch > old.retryEpoch;
    if (!retried && !isEmpty(subtract(old.dead, job.slice.dead))) {
      throw new Error(`${job.id}: dead was undone`);
    }
  }
  for (const [name, work] of plan.works) {
    const edge = before.edges.get(name)!;
    const { config, report } = edge;
    const closed =
      config.cordoned !== null ||
      config.drain !== null ||
      config.removing !== null ||
      report?.connected !== true;
    if (!closed) continue;
    for (const [id, lease] of work.leases) {
      const had = edge.work?.leases.get(id)?.ranges ?? emptyRanges;
      if (!isEmpty(subtract(lease.ranges, had)))
        throw new Error(`${name} is closed and got chunks`);
    }
  }
  for (const [name, work] of plan.works) {
    const old = before.edges.get(name)!.work;
    if (old !== null && work.epoch < old.epoch) throw new Error(`${name}: its epoch fell`);
    if (plan.shadows.has(name) && work.epoch <= (old?.epoch ?? 0)) {
      throw new Error(`${name}: written without a new epoch`);
    }
  }
  checkNextLook(after, plan, nowMs);
}

/** Whatever waits for time, and for no event, has a next look. */
function checkNextLook(after: Cell, plan: Plan, nowMs: number): void {
  let timed = false;
  for (const job of after.jobs.values()) {
    const leased = leasedIn(after, job);
    for (const [chunk, retry] of job.slice.retries) {
      if (!has(leased, chunk) && retry.dueAtMs > nowMs && !job.intent.cancelled) timed = true;
    }
  }
  for (const edge of after.edges.values()) {
    const leases = [...(edge.work?.leases.values() ?? [])];
    if (leases.some((lease) => !isEmpty(lease.ranges))) timed = true;
  }
  if (timed && plan.lookAgainAtMs === null) throw new Error('something waits for time, unwatched');
  if (plan.lookAgainAtMs !== null) expect(plan.lookAgainAtMs).toBeGreaterThanOrEqual(nowMs);
}
