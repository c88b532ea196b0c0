import type { CellMeta, CellSummary } from '../../model/cell.ts';
import { addCounts, noChunks, powerOf } from '../../model/job.ts';
import { summaryLabelsMax, summaryLabelValuesMax } from '../../model/limits.ts';
import type { JobCellStatus } from '../../model/plan.ts';
import { count } from '../../model/ranges.ts';
import { isStranded, unavailable } from './candidates.ts';
import { type EdgeDraft, type JobDraft, type Pass, pendingOf } from './draft.ts';
import { holdsSomething } from './leases.ts';

/**
 * The figures of a pass: of each job it touched, and of the whole cell for its META row. Absolute,
 * never deltas.
 */
export function countsOf(job: JobDraft): JobCellStatus['counts'] {
  let leased = 0;
  let running = 0;
  for (const lease of job.leases) {
    leased += count(lease.ranges);
    running += count(lease.running);
  }
  const pending = count(pendingOf(job));
  return {
    total: count(job.before.ranges),
    waiting: job.intent.blockedByDependencies ? pending : 0,
    pending: job.intent.blockedByDependencies ? 0 : pending,
    scheduled: leased - running,
    running,
    done: count(job.done),
    dead: count(job.dead),
    cancelled: count(job.cancelled),
  };
}

/**
 * `null` when nothing was decided and the figures are what they were: then there is nothing to
 * commit.
 */
export function metaRow(pass: Pass): CellMeta | null {
  const { meta } = pass.cell;
  const summary = summaryOf(pass);
  const decided =
    pass.rowsLeft < pass.rowsMax || pass.health !== meta.health || pass.alarms.length > 0;
  if (!decided && isSame(summary, meta.summary)) return null;
  return { ...meta, version: meta.version + 1, health: pass.health, summary };
}

/** Edges come and go without a decision, but new jobs choose their cells by these figures. */
function isSame(a: CellSummary, b: CellSummary): boolean {
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

/** Stored maps come back in another order. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return [...value].sort();
  const entries = Object.entries(value).sort(([x], [y]) => (x < y ? -1 : 1));
  return entries.map(([key, item]) => [key, sorted(item)]);
}

function summaryOf(pass: Pass): CellSummary {
  const before = pass.cell.meta.summary;
  const edges = {
    total: 0,
    connected: 0,
    disconnected: 0,
    lost: 0,
    busy: 0,
    free: 0,
    cordoned: 0,
    aside: 0,
  };
  const power = { total: 0, free: 0, reserved: 0, served: before.power.served + pass.ends.power };
  const labels = new Map<string, readonly string[] | null>();
  let largest = 0;
  for (const edge of pass.edges.values()) {
    if (edge.removed) continue;
    edges.total++;
    const connected = edge.source.report?.connected === true;
    if (edge.lostAtMs !== null) edges.lost++;
    else if (connected) edges.connected++;
    else edges.disconnected++;
    const busy = holdsSomething(edge);
    const open = unavailable(pass, edge) === null;
    if (busy) edges.busy++;
    else if (open) edges.free++;
    const { config } = edge.source;
    if (config.cordoned !== null || config.drain !== null) edges.cordoned++;
    if (edge.quarantinedUntilMs !== null && edge.quarantinedUntilMs > pass.nowMs) edges.aside++;
    power.total += edge.capacity.power;
    power.reserved += edge.capacity.power - edge.free.power;
    if (!open) continue;
    power.free += Math.max(0, edge.free.power);
    largest = Math.max(largest, edge.capacity.power);
    addLabels(labels, edge);
  }
  return {
    edges,
    power,
    ...backlogOf(pass),
    largestEdgePower: largest,
    labels: Object.fromEntries(labels),
  };
}

function addLabels(labels: Map<string, readonly string[] | null>, edge: EdgeDraft): void {
  for (const source of [edge.source.facts?.labels, edge.source.config.labels]) {
    for (const key in source) {
      const known = labels.get(key);
      if (known === null) continue;
      if (known === undefined) {
        if (labels.size < summaryLabelsMax) labels.set(key, [source[key]!]);
      } else if (known.length >= summaryLabelValuesMax) labels.set(key, null);
      else if (!known.includes(source[key]!)) labels.set(key, [...known, source[key]!]);
    }
  }
}

function backlogOf(
  pass: Pass,
): Pick<CellSummary, 'chunks' | 'backlogPower' | 'strandedPower' | 'jobs'> {
  const before = pass.cell.meta.summary.chunks;
  let counts = noChunks;
  let backlogPower = 0;
  let strandedPower = 0;
  let jobs = pass.suspended.size;
  for (const job of pass.jobs.values()) {
    if (job.ended) continue;
    jobs++;
    counts = addCounts(counts, countsOf(job));
    if (job.endReason !== null) continue;
    const power = powerOf(job.intent.chunking, pendingOf(job));
    backlogPower += power;
    if (power > 0 && !job.intent.blockedByDependencies && isStranded(pass, job))
      strandedPower += power;
  }
  return {
    chunks: {
      pending: counts.pending + counts.waiting,
      scheduled: counts.scheduled,
      running: counts.running,
      done: before.done + pass.ends.done,
      dead: before.dead + pass.ends.dead,
      cancelled: before.cancelled + pass.ends.cancelled,
    },
    backlogPower,
    strandedPower,
    jobs,
  };
}
