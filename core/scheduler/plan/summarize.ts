import type { CellMeta } from '../../model/cell.ts';
import { type CellSummary, noEdges } from '../../model/cell-summary.ts';
import { addCounts, noChunks, powerOf } from '../../model/job.ts';
import { summaryLabelsMax, summaryLabelValuesMax } from '../../model/limits.ts';
import type { JobId } from '../../model/names.ts';
import type { JobCellStatus, Plan } from '../../model/plan.ts';
import { count, subtract } from '../../model/ranges.ts';
import { chunkPowerOf } from '../../protocol/agent-spec.ts';
import { runningPercents } from '../../protocol/percents.ts';
import { isSpread } from '../../services/everywhere.ts';
import { spreadJobsMax } from '../../services/limits.ts';
import { dueOf, type Rollout } from '../../services/rollout.ts';
import type { RolloutCounts, ServiceCounts } from '../../services/service.ts';
import { groupOf, isPlain } from '../../shelf/groups.ts';
import { everywhereOf, restartsOf } from '../instances/instance-ends.ts';
import { readyOf, standInsOf } from '../instances/stand-ins.ts';
import { holdsSomething } from '../leases/take-back.ts';
import { isStranded, unavailable } from '../pass/candidates.ts';
import { type EdgeDraft, type JobDraft, type Pass, pendingOf } from '../pass/draft.ts';

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
  leased += count(subtract(job.heldByDamaged, job.done));
  const pending = count(pendingOf(job));
  return {
    total: count(job.ranges),
    waiting: job.intent.blockedByDependencies ? pending : 0,
    pending: job.intent.blockedByDependencies ? 0 : pending,
    scheduled: leased - running,
    running,
    done: count(job.done),
    dead: count(job.dead),
    cancelled: count(job.cancelled),
  };
}

export function serviceCountsOf(job: JobDraft): ServiceCounts {
  const wanted = subtract(job.ranges, standInsOf(job));
  const counts = {
    wanted: count(wanted),
    ready: Math.min(count(readyOf(job)), count(wanted)),
    restarts: restartsOf(job),
    ...(everywhereOf(job) !== null && { everywhere: true as const }),
  };
  if (job.rollout === undefined) return counts;
  const { generation, state, reason } = job.rollout;
  const updated = count(subtract(wanted, dueOf(job.rollout)));
  const turn = job.intent.rollout?.byTurns === true ? turnOf(job.rollout) : {};
  return { ...counts, rollout: { generation, state, updated, reason, ...turn } };
}

/** What others must know who take turns with this cell. */
function turnOf({
  wanted,
  restarts,
  due,
  unsettled,
  awaits,
  failed,
  late,
}: Rollout): Partial<RolloutCounts> {
  return {
    wish: awaits?.wish ?? wanted + restarts,
    ...(awaits !== undefined && { awaits: awaits.generation }),
    ...(due.size + unsettled.size > 0 && late !== true && { open: true as const }),
    ...(failed !== undefined && { failed }),
  };
}

/** What running chunks say they have done of their power, each rounded down. */
export function workedPowerOf(job: JobDraft): number {
  let power = 0;
  for (const { percents, running } of job.leases) {
    for (const [chunk, percent] of runningPercents(percents, running)) {
      power += Math.floor((chunkPowerOf(job.intent.chunking, chunk) * percent) / 100);
    }
  }
  return power;
}

/**
 * `null` when nothing was decided and the figures are what they were: then there is nothing to
 * commit.
 */
export function metaRow(pass: Pass, folds: Plan['folds']): CellMeta | null {
  const { meta } = pass.cell;
  const summary = { ...summaryOf(pass), jobStates: jobStatesOf(meta.summary, folds) };
  const decided =
    pass.rowsLeft < pass.rowsMax || pass.health !== meta.health || pass.alarms.length > 0;
  const isKnown = meta.unreadable?.includes('summary') !== true;
  if (!decided && (!isKnown || isSame(summary, meta.summary))) return null;
  const version = meta.version + 1;
  return { ...meta, version, health: pass.health, summary, passedAtMs: pass.nowMs };
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

/** A job moves from one count to the other in the commit that changes its state. */
function jobStatesOf(before: CellSummary, folds: Plan['folds']): CellSummary['jobStates'] {
  const states = { ...before.jobStates };
  for (const { seen, next } of folds.values()) {
    if (seen === next.state) continue;
    states[next.state]++;
    if (seen === null) states.total++;
    else states[seen]--;
  }
  return states;
}

function summaryOf(pass: Pass): Omit<CellSummary, 'jobStates'> {
  const { meta, unreadable } = pass.cell;
  const before = meta.summary;
  const edges = { ...noEdges };
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
    if (edge.quarantinedUntilMs !== null && edge.quarantinedUntilMs > pass.nowMs)
      edges.quarantined++;
    const reserved = edge.capacity.power - edge.free.power;
    // Of one that is lost there is no more than what it still holds.
    power.total += edge.lostAtMs === null ? edge.capacity.power : reserved;
    power.reserved += reserved;
    if (!open) continue;
    power.free += Math.max(0, edge.free.power);
    largest = Math.max(largest, edge.capacity.power);
    addLabels(labels, edge);
  }
  for (const { edge } of pass.damagedEdges) {
    edges.total++;
    edges.cordoned++;
    if (edge.source.report?.connected === true) edges.connected++;
    else edges.disconnected++;
    power.total += edge.capacity.power;
    power.reserved += edge.capacity.power;
  }
  return {
    edges,
    power,
    ...backlogOf(pass),
    largestEdgePower: largest,
    labels: Object.fromEntries(labels),
    ...(unreadable !== undefined && { unreadable: unreadable.rows.length }),
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
): Pick<CellSummary, 'chunks' | 'backlogPower' | 'strandedPower' | 'jobs' | 'everywhere'> {
  const before = pass.cell.meta.summary.chunks;
  let counts = noChunks;
  let backlogPower = 0;
  let strandedPower = 0;
  let jobs = pass.suspended.size;
  const everywhere: JobId[] = [];
  const shelf = onShelf(pass);
  for (const job of pass.jobs.values()) {
    if (job.ended || pass.shelf.shelved.has(job.id)) continue;
    jobs++;
    counts = addCounts(counts, countsOf(job));
    if (job.endReason !== null) continue;
    if (isSpread(job.intent) && everywhere.length < spreadJobsMax) everywhere.push(job.id);
    const power = powerOf(job.intent.chunking, pendingOf(job));
    backlogPower += power;
    if (power > 0 && !job.intent.blockedByDependencies && isStranded(pass, job))
      strandedPower += power;
  }
  return {
    chunks: {
      pending: counts.pending + counts.waiting + shelf.chunks,
      scheduled: counts.scheduled,
      running: counts.running,
      done: before.done + pass.ends.done,
      dead: before.dead + pass.ends.dead,
      cancelled: before.cancelled + pass.ends.cancelled,
    },
    backlogPower: backlogPower + shelf.power,
    strandedPower: strandedPower + shelf.strandedPower,
    jobs: jobs + shelf.jobs,
    ...(everywhere.length > 0 && { everywhere }),
  };
}

/** Jobs that no draft is made of: those on the shelf, and those that come from there. */
function onShelf(pass: Pass): Record<'jobs' | 'chunks' | 'power' | 'strandedPower', number> {
  const sums = { jobs: 0, chunks: 0, power: 0, strandedPower: 0 };
  const { groups, taken } = pass.shelf;
  if (groups.size === 0 && taken.size === 0) return sums;
  const stranded = new Set<string>();
  for (const job of pass.jobs.values()) {
    if (isPlain(job.intent, job.before) && isStranded(pass, job)) stranded.add(groupOf(job.intent));
  }
  const came = Map.groupBy(taken.values(), ({ group }) => group);
  for (const [name, { jobs: left, chunks, power }] of groups) {
    const jobs = left + (came.get(name)?.length ?? 0);
    sums.jobs += jobs;
    sums.chunks += jobs * chunks;
    sums.power += jobs * power;
    if (stranded.has(name)) sums.strandedPower += jobs * power;
  }
  return sums;
}
