import {
  type Cell,
  type CellEdge,
  type CellJob,
  type EdgeWork,
  type Lease,
  noEdgeWork,
  type Slice,
} from '../model/cell.ts';
import { planRowsMax } from '../model/limits.ts';
import type { EdgeName, JobId } from '../model/names.ts';
import type { JobCellStatus, JobFold, Plan } from '../model/plan.ts';
import {
  count,
  emptyRanges,
  equal,
  formatRanges,
  fromChunks,
  has,
  intersect,
  isEmpty,
  type RangeSet,
  subtract,
  union,
} from '../model/ranges.ts';
import { standsStill } from '../model/unreadable.ts';
import { intentNow } from '../services/in-effect.ts';
import { numbersOf } from '../services/instance-numbers.ts';
import { rowsOfShelf, violationsOfShelf } from '../shelf/shelf-invariants.ts';
import { type Amounts, capacityOf, demandOf, reservedBy } from './pass/capacity.ts';
import { isSuspensionReported } from './pass/suspension.ts';
import { rowsByJob } from './plan/spending.ts';

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
  checkDamaged(cell, plan, found);
  found.push(...violationsOfShelf(cell, plan));
  checkSlices(cell, plan, found);
  const leased = leasedAfter(cell, plan);
  for (const [id, status] of plan.jobStatuses) {
    if (status.foldedByCell !== plan.folds.has(id))
      say(found, `nobody writes the status of ${id}, or two do`, [id]);
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
  if (rows > planRowsMax) say(found, `the plan has ${rows} rows`, heaviest(plan, rows));
  const jobs = [...plan.slices.keys(), ...plan.endedJobs, ...plan.executions.map(({ job }) => job)];
  for (const id of new Set([...jobs, ...plan.chunkEnds.map(({ job }) => job)])) {
    if (!plan.jobStatuses.has(id)) say(found, `${id} changes and its counts do not`, [id]);
  }
  for (const name of plan.shadows) {
    if (!plan.works.has(name)) say(found, `${name} gets a document that is not committed`);
  }
  checkEndRows(plan, found);
}

/** The fewest jobs without whose own rows it would not have too many. */
function heaviest(plan: Plan, rows: number): JobId[] {
  let left = rows;
  const all = [...rowsByJob(plan)].sort(([, a], [, b]) => b - a);
  return all.flatMap(([id, own]) => {
    if (left <= planRowsMax) return [];
    left -= own;
    return [id];
  });
}

/** No transaction takes a row twice. */
function checkEndRows({ chunkEnds }: Plan, found: Violation[]): void {
  const seen = new Set<string>();
  for (const { job, chunk } of chunkEnds) {
    const row = `${job}/${chunk}`;
    if (seen.has(row)) say(found, `two ends of chunk ${chunk} of ${job}`, [job]);
    seen.add(row);
  }
}

/** Whatever a row that cannot be read is about stays as it is. */
function checkDamaged(cell: Cell, plan: Plan, found: Violation[]): void {
  const { unreadable } = cell;
  if (unreadable === undefined) return;
  if (standsStill(cell.meta)) say(found, 'the version of the cell cannot be read');
  for (const name of unreadable.edges.keys()) {
    const isWritten = plan.works.has(name) || plan.removedEdges.has(name);
    if (isWritten || plan.shadows.has(name)) say(found, `${name} is written and cannot be read`);
  }
  for (const id of unreadable.jobs.keys()) {
    const isWritten = plan.jobStatuses.has(id) || plan.slices.has(id) || plan.endedJobs.has(id);
    if (isWritten) say(found, `${id} is written and cannot be read`);
  }
  for (const [name, work] of plan.works) {
    const edge = cell.edges.get(name);
    for (const [id, lease] of edge?.work?.leases ?? []) {
      if (!unreadable.jobs.has(id)) continue;
      const after = work.leases.get(id);
      if (after === undefined || !isSame(lease, after)) {
        say(found, `the lease of ${id} on ${name} changes and ${id} cannot be read`);
      }
    }
  }
}

/** A slice without a row is in the one lease that holds what is open of its job. */
function checkSlices(cell: Cell, plan: Plan, found: Violation[]): void {
  const inLeases = new Map<JobId, number>();
  for (const { leases } of plan.works.values()) {
    for (const [id, { slice, ranges }] of leases) {
      if (slice !== undefined && !isEmpty(ranges)) inLeases.set(id, (inLeases.get(id) ?? 0) + 1);
    }
  }
  for (const id of plan.slicesInLeases ?? []) {
    if (inLeases.get(id) !== 1) say(found, `the slice of ${id} is nowhere`, [id]);
  }
  for (const name of plan.works.keys()) {
    for (const [id, { slice }] of cell.edges.get(name)?.work?.leases ?? []) {
      if (slice === undefined || cell.jobs.get(id)?.hasNoSliceRow !== true) continue;
      const isKept = inLeases.has(id) || plan.slices.has(id) || plan.endedJobs.has(id);
      if (!isKept) say(found, `the slice of ${id} goes with its lease`, [id]);
    }
  }
}

export function rowsOf(plan: Plan): number {
  return (
    plan.works.size +
    [...plan.slices.keys()].filter((id) => plan.slicesInLeases?.has(id) !== true).length +
    2 * plan.endedJobs.size -
    (plan.endedWithoutSlice?.size ?? 0) +
    [...plan.endedJobs].filter((id) => !plan.folds.has(id)).length +
    [...plan.folds.values()].reduce((rows, fold) => rows + eventRowsOf(fold), 0) +
    4 * plan.removedEdges.size +
    plan.jobStatuses.size +
    plan.executions.length -
    (plan.closings?.size ?? 0) +
    plan.chunkEnds.length +
    rowsOfShelf(plan)
  );
}

/** The counts that a status is folded from lie in that status: one row for both. */
function eventRowsOf({ events, eventsIn }: JobFold): number {
  return eventsIn === 'rows' ? events.length : 0;
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
  const { chunksDone, powerServed } = work.totals;
  if (chunksDone < before.totals.chunksDone || powerServed < before.totals.powerServed) {
    say(found, `the totals of ${name} fall`, jobs);
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
    const spec = cell.jobs.get(id)?.intent.spec;
    if (isGiven && isClosed(edge, spec?.everywhere?.onCordoned))
      say(found, `${name} is closed and gets chunks of ${id}`, [id]);
    if (!isGiven && lease.slots <= (old?.slots ?? 0)) continue;
    grown.push(id);
    if (!plan.shadows.has(name)) say(found, `${name} gets more of ${id} and no document`, [id]);
  }
  for (const [id, lease] of before.leases) {
    const isThere = cell.jobs.has(id) || cell.unreadable?.jobs.has(id) === true;
    const goes = !isThere || plan.endedJobs.has(id) || isEmpty(lease.ranges);
    if (!goes && !work.leases.has(id)) say(found, `the lease of ${id} on ${name} vanishes`, [id]);
  }
  if (grown.length > 0 && edge.config.pull == null) checkCapacity(cell, edge, work, grown, found);
}

function isSame(a: Lease, b: Lease): boolean {
  return (
    a.slots === b.slots &&
    equal(a.ranges, b.ranges) &&
    equal(a.running, b.running) &&
    equal(a.reclaiming, b.reclaiming)
  );
}

function isClosed({ config, report }: CellEdge, onCordoned = false): boolean {
  const { cordoned, drain, removing } = config;
  return (
    (cordoned !== null && !onCordoned) ||
    drain !== null ||
    removing !== null ||
    report?.connected !== true
  );
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
    const job = cell.jobs.get(id) ?? cell.unreadable?.jobs.get(id)?.standIn;
    if (job === undefined || isEmpty(lease.ranges)) continue;
    reservedBy({ ...lease, job: { demand: demandOf(intentNow(job)) } }, free, -1);
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
    countLeases(work, leased);
  }
  for (const { standIn } of cell.unreadable?.edges.values() ?? []) {
    if (standIn.work !== null) countLeases(standIn.work, leased);
  }
  return leased;
}

function countLeases({ leases }: EdgeWork, leased: Map<JobId, number>): void {
  leases.forEach((lease, id) => {
    const known = leased.get(id);
    if (known !== undefined) leased.set(id, known + count(lease.ranges));
  });
}

function checkJob(cell: Cell, plan: Plan, id: JobId, leased: number, found: Violation[]): void {
  const status = plan.jobStatuses.get(id);
  const job = cell.jobs.get(id);
  if (status === undefined || job === undefined) {
    say(found, `${id} is not in the cell`);
    return;
  }
  const { slice: old } = job;
  const isEnded = plan.endedJobs.has(id);
  const isBound = job.intent.spec.everywhere !== undefined;
  const slice = plan.slices.get(id) ?? (isEnded ? endedSlice(cell, job, status) : old);
  // What is stored of a suspended job is not mended here; but it may be cancelled.
  if (isSuspensionReported({ slice })) return;
  if (job.intent.cancelled && isSuspensionReported(job)) return;
  const blame = (sentence: string) => say(found, `${id}: ${sentence}`, [id]);
  const wanted =
    job.intent.spec.restart === undefined ? old.ranges : numbersOf(job.intent.chunking);
  const more = count(subtract(slice.ranges, wanted));
  const standIns = slice.standIns === undefined ? 0 : job.intent.spec.update!.maxUnavailable;
  const isScaled = isEmpty(subtract(wanted, slice.ranges)) && more <= standIns;
  const isAsWanted = isBound || equal(slice.ranges, old.ranges) || isScaled;
  if (!isAsWanted) blame('its chunks are others than before');
  // A number that is another edge's now begins anew.
  const left = isBound ? leftIn(old.seats, slice.seats) : emptyRanges;
  const lost = subtract(subtract(intersect(old.done, slice.ranges), status.done), left);
  if (!isEmpty(lost)) blame(`${formatRanges(lost)} was done and is not`);
  // Of a job that ends in this plan only the status says so.
  const isRetried = status.retryEpoch > old.retryEpoch;
  const revived = subtract(subtract(intersect(old.dead, slice.ranges), status.dead), left);
  if (!isRetried && !isEmpty(revived)) blame(`${formatRanges(revived)} was dead and is not`);
  if (!isEnded) {
    const { done, dead, cancelled } = slice;
    const isCounted = equal(done, status.done) && equal(dead, status.dead);
    if (!isCounted || !equal(cancelled, status.cancelled)) blame('its status says something else');
    for (const chunk of slice.retries.keys()) {
      if (has(done, chunk) || has(dead, chunk)) blame(`${chunk} has ended and waits for a retry`);
    }
  }
  checkCounts(status, slice.ranges, leased, isEnded, blame);
}

/**
 * The slice of a job that ends is not written: of a service the instances that were wanted at last,
 * everywhere the seats of edges that are there, and its ends.
 */
function endedSlice(cell: Cell, { slice: old, intent }: CellJob, status: JobCellStatus): Slice {
  const { restart, everywhere } = intent.spec;
  if (restart === undefined && everywhere === undefined) return old;
  const ended = union(union(status.done, status.dead), status.cancelled);
  if (everywhere === undefined) return { ...old, ranges: ended };
  const seats = new Map([...(old.seats ?? [])].filter(([edge]) => cell.edges.has(edge)));
  // What was retried begins anew, and is not there any more when its edge is on its way out.
  const over = status.retryEpoch > old.retryEpoch ? old.done : union(old.done, old.dead);
  const kept = subtract(over, leftIn(old.seats, seats));
  return { ...old, seats, ranges: union(ended, kept) };
}

function leftIn(before: Slice['seats'], after: Slice['seats']): RangeSet {
  return fromChunks([...(before ?? [])].flatMap(([edge, seat]) => (after?.has(edge) ? [] : seat)));
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
