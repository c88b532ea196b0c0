import { type Cell, type CellEdge, type EdgeWork, type Lease, noEdgeWork } from '../model/cell.ts';
import { planRowsMax } from '../model/limits.ts';
import type { EdgeName, JobId } from '../model/names.ts';
import type { JobCellStatus, Plan } from '../model/plan.ts';
import {
  count,
  emptyRanges,
  equal,
  formatRanges,
  has,
  intersect,
  isEmpty,
  type RangeSet,
  subtract,
  union,
} from '../model/ranges.ts';
import { type Amounts, capacityOf, demandOf, reservedBy } from './pass/capacity.ts';
import { isSuspensionReported } from './pass/suspension.ts';

/**
 * What a plan must keep, whatever was decided: looked at before each commit, of the rows that the
 * plan writes and of nothing else. It knows nothing of how the plan came about, so that a mistake
 * in a phase is not repeated here; nor does it repair anything. Whoever carries the plan out
 * refuses one with a violation.
 */
export type Violation = {
  readonly sentence: string;
  /** Without these jobs there would be no violation; empty when that is not known. */
  readonly jobs: readonly JobId[];
};

export function violationsOf(cell: Cell, plan: Plan): Violation[] {
  const found: Violation[] = [];
  if (plan.meta === null) return found;
  checkFrame(cell, plan, found);
  for (const [name, work] of plan.works) checkWork(cell, plan, name, work, found);
  for (const name of plan.removedEdges) {
    if (cell.edges.get(name)?.config.removing == null)
      say(found, `${name} leaves and was not asked`);
  }
  const leased = leasedAfter(cell, plan);
  for (const [id, status] of plan.jobStatuses) {
    if (status.job !== id) say(found, `the status of ${id} is that of ${status.job}`, [id]);
    checkJob(cell, plan, id, leased.get(id) ?? 0, found);
  }
  return found;
}

function say(found: Violation[], sentence: string, jobs: readonly JobId[] = []): void {
  found.push({ sentence, jobs });
}

/** Versions, the size of the transaction, and that all it names is in the cell. */
function checkFrame(cell: Cell, plan: Plan, found: Violation[]): void {
  const { version } = cell.meta;
  if (plan.seenVersion !== version || plan.meta?.version !== version + 1) {
    say(found, `the plan goes from ${plan.seenVersion} to ${plan.meta?.version}, not ${version}`);
  }
  const rows = rowsOf(plan);
  if (rows > planRowsMax) say(found, `the plan has ${rows} rows`);
  const jobs = [...plan.slices.keys(), ...plan.endedJobs, ...plan.executions.map(({ job }) => job)];
  for (const id of new Set([...jobs, ...plan.chunkEnds.map(({ job }) => job)])) {
    if (!plan.jobStatuses.has(id)) say(found, `${id} changes and its counts do not`, [id]);
  }
  for (const name of plan.shadows) {
    if (!plan.works.has(name)) say(found, `${name} gets a document that is not committed`);
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

function checkWork(
  cell: Cell,
  plan: Plan,
  name: EdgeName,
  work: EdgeWork,
  found: Violation[],
): void {
  const edge = cell.edges.get(name);
  if (edge === undefined) {
    say(found, `${name} is not in the cell`);
    return;
  }
  const before = edge.work ?? noEdgeWork;
  const jobs = [...work.leases.keys()];
  if (work.epoch < before.epoch) say(found, `the epoch of ${name} falls`, jobs);
  if (plan.shadows.has(name) && work.epoch <= before.epoch) {
    say(found, `${name} gets another document without a new epoch`, jobs);
  }
  const grown: JobId[] = [];
  for (const [id, lease] of work.leases) {
    const old = before.leases.get(id);
    if (old !== undefined && isSame(old, lease)) continue;
    if (!plan.jobStatuses.has(id))
      say(found, `${id} on ${name} changes and its counts do not`, [id]);
    if (!isEmpty(subtract(union(lease.running, lease.reclaiming), lease.ranges))) {
      say(found, `${id} on ${name}: running or reclaimed outside of the lease`, [id]);
    }
    const isGiven = !isEmpty(subtract(lease.ranges, old?.ranges ?? emptyRanges));
    if (isGiven && isClosed(edge)) say(found, `${name} is closed and gets chunks of ${id}`, [id]);
    if (!isGiven && lease.slots <= (old?.slots ?? 0)) continue;
    grown.push(id);
    if (!plan.shadows.has(name)) say(found, `${name} gets more of ${id} and no document`, [id]);
  }
  for (const [id, lease] of before.leases) {
    const goes = !cell.jobs.has(id) || plan.endedJobs.has(id) || isEmpty(lease.ranges);
    if (!goes && !work.leases.has(id)) say(found, `the lease of ${id} on ${name} vanishes`, [id]);
  }
  if (grown.length > 0) checkCapacity(cell, edge, work, grown, found);
}

function isSame(a: Lease, b: Lease): boolean {
  return (
    a.slots === b.slots &&
    equal(a.ranges, b.ranges) &&
    equal(a.running, b.running) &&
    equal(a.reclaiming, b.reclaiming)
  );
}

function isClosed({ config, report }: CellEdge): boolean {
  const { cordoned, drain, removing } = config;
  return cordoned !== null || drain !== null || removing !== null || report?.connected !== true;
}

/** An edge that has too little for what it holds (its capacity fell) is given nothing more. */
function checkCapacity(
  cell: Cell,
  edge: CellEdge,
  work: EdgeWork,
  grown: readonly JobId[],
  found: Violation[],
): void {
  const free = freeAfter(cell, edge, work);
  const before = freeAfter(cell, edge, edge.work ?? noEdgeWork);
  const short = free.power < Math.min(0, before.power);
  if (short) say(found, `${edge.name} is left with ${free.power} power`, grown);
  for (const [name, amount] of free.others) {
    if (amount >= Math.min(0, before.others.get(name) ?? 0)) continue;
    say(found, `${edge.name} is left with ${amount} ${name}`, grown);
  }
}

function freeAfter(cell: Cell, edge: CellEdge, work: EdgeWork): Amounts {
  const free = capacityOf(edge);
  for (const [id, lease] of work.leases) {
    const intent = cell.jobs.get(id)?.intent;
    if (intent === undefined || isEmpty(lease.ranges)) continue;
    reservedBy({ ...lease, job: { demand: demandOf(intent) } }, free, -1);
  }
  return free;
}

/** How many chunks edges hold of each job that the plan writes, once it is carried out. */
function leasedAfter(cell: Cell, plan: Plan): ReadonlyMap<JobId, number> {
  const leased = new Map<JobId, number>();
  for (const id of plan.jobStatuses.keys()) leased.set(id, 0);
  for (const edge of cell.edges.values()) {
    if (plan.removedEdges.has(edge.name)) continue;
    const work = plan.works.get(edge.name) ?? edge.work;
    if (work === null) continue;
    work.leases.forEach((lease, id) => {
      const known = leased.get(id);
      if (known !== undefined) leased.set(id, known + count(lease.ranges));
    });
  }
  return leased;
}

function checkJob(cell: Cell, plan: Plan, id: JobId, leased: number, found: Violation[]): void {
  const status = plan.jobStatuses.get(id);
  const job = cell.jobs.get(id);
  if (status === undefined || job === undefined) {
    say(found, `${id} is not in the cell`);
    return;
  }
  const { slice: old } = job;
  const slice = plan.slices.get(id) ?? old;
  // What is stored of a suspended job is not mended here; but it may be cancelled.
  if (isSuspensionReported({ slice })) return;
  if (job.intent.cancelled && isSuspensionReported(job)) return;
  const blame = (sentence: string) => say(found, `${id}: ${sentence}`, [id]);
  if (!equal(slice.ranges, old.ranges)) blame('its chunks are others than before');
  const lost = subtract(old.done, status.done);
  if (!isEmpty(lost)) blame(`${formatRanges(lost)} was done and is not`);
  const isRetried = slice.retryEpoch > old.retryEpoch;
  const revived = subtract(old.dead, status.dead);
  if (!isRetried && !isEmpty(revived)) blame(`${formatRanges(revived)} was dead and is not`);
  if (!plan.endedJobs.has(id)) {
    const { done, dead, cancelled } = slice;
    const isTold = equal(done, status.done) && equal(dead, status.dead);
    if (!isTold || !equal(cancelled, status.cancelled)) blame('its status says something else');
    for (const chunk of slice.retries.keys()) {
      if (has(done, chunk) || has(dead, chunk)) blame(`${chunk} has ended and waits for a retry`);
    }
  }
  checkCounts(status, old.ranges, leased, plan.endedJobs.has(id), blame);
}

/**
 * Each chunk of the slice is in one place: then the places have as many as the slice. A chunk that
 * is in two of them, or in none, makes a difference.
 */
function checkCounts(
  { done, dead, cancelled, counts }: JobCellStatus,
  ranges: RangeSet,
  leased: number,
  isEnded: boolean,
  blame: (sentence: string) => void,
): void {
  for (const [a, b] of [
    [done, dead],
    [done, cancelled],
    [dead, cancelled],
  ] as const) {
    const twice = intersect(a, b);
    if (!isEmpty(twice)) blame(`${formatRanges(twice)} ended twice`);
  }
  const open = counts.waiting + counts.pending;
  const isCounted =
    counts.total === count(ranges) &&
    counts.done === count(done) &&
    counts.dead === count(dead) &&
    counts.cancelled === count(cancelled) &&
    counts.scheduled + counts.running === leased &&
    Math.min(...Object.values(counts)) >= 0;
  if (!isCounted) blame(`its counts are ${JSON.stringify(counts)}, and edges hold ${leased}`);
  const placed = open + leased + counts.done + counts.dead + counts.cancelled;
  if (placed !== counts.total) blame(`of ${counts.total} chunks ${placed} are somewhere`);
  if (isEnded && (open > 0 || leased > 0)) blame(`it ends with ${open + leased} chunks open`);
}
