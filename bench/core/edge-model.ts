import type { EdgeWork } from '../../core/model/cell.ts';
import type { JobId } from '../../core/model/names.ts';
import {
  count,
  emptyRanges,
  intersect,
  type RangeSet,
  subtract,
  take,
  union,
} from '../../core/model/ranges.ts';
import type { JobProgress, ProgressReport } from '../../core/protocol/progress-report.ts';

/**
 * An edge that keeps the protocol at no cost: it works through its ranges at a fixed rate, and
 * reports when a lease begins to run low or ends, and otherwise once in a while.
 */
export type EdgeModel = {
  work: EdgeWork | null;
  /** Chunks finished and not yet acknowledged, and what is left to run, per job. */
  jobs: Map<JobId, { owned: RangeSet; done: RangeSet; slots: number }>;
  sequence: number;
  atMs: number;
  readonly chunkMs: number;
  /** Part of a chunk per slot that was finished when the clock last stopped. */
  carried: number;
  /** An edge that was idle says that it took its work. */
  confirms: boolean;
};

export function newEdgeModel(chunkMs: number): EdgeModel {
  return {
    work: null,
    jobs: new Map(),
    sequence: 0,
    atMs: 0,
    chunkMs,
    carried: 0,
    confirms: false,
  };
}

/** Takes over the newest document. */
export function takeWork(edge: EdgeModel, work: EdgeWork): void {
  edge.work = work;
  edge.confirms = edge.jobs.size === 0;
  const jobs: EdgeModel['jobs'] = new Map();
  for (const [id, lease] of work.leases) {
    if (lease.ranges.length === 0) continue;
    const done = intersect(edge.jobs.get(id)?.done ?? emptyRanges, lease.ranges);
    const owned = subtract(subtract(lease.ranges, done), lease.reclaiming);
    jobs.set(id, { owned, done, slots: lease.slots });
  }
  edge.jobs = jobs;
}

/** Lets time pass: whole rounds of all slots end together, which is how equal chunks behave. */
export function runUntil(edge: EdgeModel, atMs: number): void {
  const rounds = edge.carried + (atMs - edge.atMs) / edge.chunkMs;
  const whole = Math.floor(rounds);
  edge.carried = rounds - whole;
  edge.atMs = atMs;
  if (whole === 0) return;
  for (const job of edge.jobs.values()) {
    const { taken, rest } = take(job.owned, whole * job.slots);
    if (taken.length === 0) continue;
    job.done = job.done.length === 0 ? taken : union(job.done, taken);
    job.owned = rest;
  }
}

/**
 * When the edge has something to say next: its first lease runs low, or is over, or it was silent
 * for long.
 */
export function nextReportMs(edge: EdgeModel, everyMs: number): number {
  let rounds = Number.POSITIVE_INFINITY;
  for (const { owned, slots } of edge.jobs.values()) {
    const left = count(owned);
    if (left === 0) continue;
    const untilLow = Math.ceil((left - slots) / slots);
    rounds = Math.min(rounds, untilLow >= 1 ? untilLow : Math.ceil(left / slots));
  }
  if (rounds === Number.POSITIVE_INFINITY) return rounds;
  if (edge.confirms) return edge.atMs + 1;
  return edge.atMs + Math.min(everyMs, Math.max(1, (rounds - edge.carried) * edge.chunkMs));
}

export function reportOf(edge: EdgeModel): ProgressReport {
  edge.sequence++;
  edge.confirms = false;
  const jobs = new Map<JobId, JobProgress>();
  for (const [id, { owned, done, slots }] of edge.jobs) {
    jobs.set(id, {
      done,
      failed: new Map(),
      running: take(owned, slots).taken,
      attempts: new Map(),
      chunkMs: edge.chunkMs,
      refused: null,
    });
  }
  const { sequence } = edge;
  return { boot: 'b', epoch: edge.work?.epoch ?? 0, sequence, freePower: 0, jobs };
}
