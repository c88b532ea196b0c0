import type { Cell, CellEdge, CellJob } from '../../../core/model/cell.ts';
import { planRowsMax } from '../../../core/model/limits.ts';
import type { EdgeName, JobId } from '../../../core/model/names.ts';
import type { Plan } from '../../../core/model/plan.ts';
import {
  chunksOf,
  count,
  emptyRanges,
  formatRanges,
  has,
  intersect,
  isEmpty,
  type RangeSet,
  subtract,
  union,
} from '../../../core/model/ranges.ts';
import { rowsOf } from '../../../core/scheduler/invariants.ts';
import type { Author } from '../functions.ts';
import { checkOrder } from './order.ts';
import { must, mustBeWithin, type Truth } from './truth.ts';

type Around = {
  readonly truth: Truth;
  readonly doubtful: ReadonlySet<EdgeName>;
  readonly by: Author;
};

/**
 * What must hold after every commit. `seen` is the cell as the pass read it, `before` what was
 * stored at the moment of the commit, `after` what is stored now.
 */
export function checkCommit(
  { truth, doubtful, by }: Around,
  seen: Cell,
  before: Cell,
  after: Cell,
  plan: Plan,
): void {
  must(after.meta.version > before.meta.version, () => 'a commit did not raise the version');
  for (const [id, job] of after.jobs) {
    checkSlice(truth, job, before.jobs.get(id));
    checkLeases(after, id, job);
  }
  for (const edge of after.edges.values()) {
    checkCapacity(after, edge);
    checkGrants(seen, before, edge);
    checkEpoch(before, edge);
    if (!doubtful.has(edge.name)) checkRunning(seen, edge);
  }
  if (by === 'pass') checkCancelled(seen, after, plan);
  checkAbsorbing(before, plan);
  checkOrder(before, after);
  for (const id of plan.endedJobs) {
    const known = before.jobs.get(id)?.slice.done ?? emptyRanges;
    checkDone(truth, id, known, plan.jobStatuses.get(id)?.done ?? emptyRanges);
  }
}

function checkSlice(
  truth: Truth,
  { id, slice, intent }: CellJob,
  before: CellJob | undefined,
): void {
  mustBeWithin(slice.done, slice.ranges, `job ${id}: done`);
  mustBeWithin(slice.dead, slice.ranges, `job ${id}: dead`);
  const both = intersect(slice.done, slice.dead);
  must(isEmpty(both), () => `job ${id}: chunks ${formatRanges(both)} are done and dead`);
  const doubt = intersect(slice.done, slice.cancelled);
  must(isEmpty(doubt), () => `job ${id}: chunks ${formatRanges(doubt)} are done and cancelled`);
  if (before === undefined) return;
  // Numbers of a service may go and come again.
  if (intent.spec.restart !== undefined) {
    checkDone(truth, id, before.slice.done, slice.done);
    return;
  }
  mustBeWithin(before.slice.done, slice.done, `job ${id}: what was done is no longer done`);
  if (before.slice.retryEpoch === slice.retryEpoch) {
    mustBeWithin(before.slice.dead, slice.dead, `job ${id}: what was dead came back`);
  }
  checkDone(truth, id, before.slice.done, slice.done);
}

function checkDone(truth: Truth, id: JobId, before: RangeSet, done: RangeSet): void {
  for (const chunk of chunksOf(subtract(done, before))) {
    must(truth.hasCompleted(id, chunk), () => `job ${id}: chunk ${chunk} is done and never ran`);
  }
}

/** Leases of one job never overlap, and hold only what is still open. */
function checkLeases(cell: Cell, id: JobId, { slice }: CellJob): void {
  const open = subtract(subtract(subtract(slice.ranges, slice.done), slice.dead), slice.cancelled);
  let held: RangeSet = emptyRanges;
  for (const edge of cell.edges.values()) {
    const lease = edge.work?.leases.get(id);
    if (lease === undefined) continue;
    const twice = intersect(held, lease.ranges);
    must(isEmpty(twice), () => `job ${id}: chunks ${formatRanges(twice)} are leased twice`);
    mustBeWithin(lease.ranges, open, `job ${id}: lease of ${edge.name}`);
    held = union(held, lease.ranges);
  }
}

function checkCapacity(cell: Cell, edge: CellEdge): void {
  const capacity = edge.config.capacity.power ?? edge.facts?.capacity.power ?? 0;
  let reserved = 0;
  for (const [id, lease] of edge.work?.leases ?? []) {
    const job = cell.jobs.get(id);
    if (job === undefined || isEmpty(lease.ranges)) continue;
    const { chunking } = job.intent;
    const atOnce = Math.min(lease.slots, count(lease.ranges));
    const extra = has(lease.ranges, chunking.chunks - 1)
      ? chunking.lastChunkPower - chunking.chunkPower
      : 0;
    if (atOnce > 0) reserved += atOnce * chunking.chunkPower + extra;
  }
  must(
    reserved <= capacity,
    () => `edge ${edge.name} has ${capacity} power and ${reserved} is reserved`,
  );
}

/** Nothing new for an edge that the pass knew to be cordoned, leaving or away. */
function checkGrants(seen: Cell, before: Cell, edge: CellEdge): void {
  const known = seen.edges.get(edge.name);
  if (known === undefined) return;
  const isClosed =
    known.config.cordoned !== null ||
    known.config.drain !== null ||
    known.config.removing !== null ||
    known.report?.connected !== true;
  if (!isClosed) return;
  for (const [id, lease] of edge.work?.leases ?? []) {
    const had = before.edges.get(edge.name)?.work?.leases.get(id)?.ranges ?? emptyRanges;
    const fresh = subtract(lease.ranges, had);
    must(isEmpty(fresh), () => `edge ${edge.name} is closed and was given ${formatRanges(fresh)}`);
  }
}

/**
 * A report names all that runs: of a job that it leaves out nothing does, once it is applied. Not
 * where two report: the other one may come to the same number by itself, before anybody can tell.
 */
function checkRunning(seen: Cell, { name, work }: CellEdge): void {
  const progress = seen.edges.get(name)?.report?.progress ?? null;
  if (work === null || progress === null || progress.sequence === null) return;
  if (work.acknowledgedSequence !== progress.sequence) return;
  for (const [id, { running }] of work.leases) {
    const isNamed = progress.jobs.has(id) || isEmpty(running);
    must(isNamed, () => `${name} does not report job ${id}, and ${formatRanges(running)} runs`);
  }
}

/**
 * A pass that saw a job cancelled, or some of its chunks, and had its rows, takes back all that
 * edges hold of that.
 */
function checkCancelled(seen: Cell, after: Cell, plan: Plan): void {
  if (rowsOf(plan) > planRowsMax / 2) return;
  for (const id of plan.jobStatuses.keys()) {
    const intent = seen.jobs.get(id)?.intent;
    const unwanted = intent?.cancelledRanges ?? emptyRanges;
    if (intent?.cancelled !== true && isEmpty(unwanted)) continue;
    for (const { name, work } of after.edges.values()) {
      const all = work?.leases.get(id)?.ranges ?? emptyRanges;
      const held = intent?.cancelled === true ? all : intersect(all, unwanted);
      must(isEmpty(held), () => `job ${id} is cancelled and ${name} holds ${formatRanges(held)}`);
    }
  }
}

/** The document changes only with its epoch, and epochs only grow. */
function checkEpoch(before: Cell, edge: CellEdge): void {
  const was = before.edges.get(edge.name)?.work;
  const is = edge.work;
  if (was === null || was === undefined || is === null) return;
  must(is.epoch >= was.epoch, () => `the epoch of ${edge.name} fell`);
  if (is.epoch > was.epoch) return;
  for (const id of new Set([...was.leases.keys(), ...is.leases.keys()])) {
    const old = was.leases.get(id);
    const now = is.leases.get(id);
    const gained = subtract(now?.ranges ?? emptyRanges, old?.ranges ?? emptyRanges);
    must(
      isEmpty(gained) && (now?.slots ?? 0) === (old?.slots ?? now?.slots ?? 0),
      () => `the work of ${edge.name} changed without a new epoch`,
    );
  }
}

/** A job that ended in this cell has no chunk left open there. */
function checkAbsorbing(before: Cell, plan: Plan): void {
  for (const id of plan.endedJobs) {
    const counts = plan.jobStatuses.get(id)?.counts;
    must(counts !== undefined, () => `job ${id} ended without a last count`);
    const open = counts!.pending + counts!.scheduled + counts!.running + counts!.waiting;
    must(open === 0, () => `job ${id} ended with ${open} open chunks`);
    must(before.jobs.has(id), () => `job ${id} ended twice`);
  }
}
