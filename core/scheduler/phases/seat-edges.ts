import type { EdgeName } from '../../model/names.ts';
import {
  equal,
  fromChunks,
  has,
  intersect,
  isEmpty,
  rangeOf,
  subtract,
} from '../../model/ranges.ts';
import { type Everywhere, seatsOfCell } from '../../services/everywhere.ts';
import { everywhereOf } from '../instances/instance-ends.ts';
import { grant } from '../leases/grant.ts';
import { takeAway } from '../leases/take-back.ts';
import { mismatchOf } from '../matching.ts';
import { refusalOf, roomOf, unavailable } from '../pass/candidates.ts';
import { type EdgeDraft, type JobDraft, leaseFor, type Pass } from '../pass/draft.ts';
import { placeableOf } from '../pass/due-retries.ts';
import { canAfford, edgeCost, jobCost, leaseCost, touchJob, touchLease } from '../plan/rows.ts';
import type { Turn } from './order-backlog.ts';

/**
 * Jobs that run everywhere: each edge of the cell that matches has a seat, which is the number of
 * its instance, for as long as it is in the cell. Each cell has numbers of its own to give. An edge
 * that does not match any more, or is drained, keeps its seat and loses its instance; what has
 * ended for good on it is not begun again.
 */
export function seatEdges(pass: Pass): void {
  for (const job of pass.jobs.values()) {
    const everywhere = everywhereOf(job);
    if (everywhere !== null && !job.intent.cancelled) seatEdgesOf(pass, job, everywhere);
  }
}

function seatEdgesOf(pass: Pass, job: JobDraft, everywhere: Everywhere): void {
  const seats = new Map<EdgeName, number>();
  const taken = new Set<number>();
  for (const [edge, seat] of job.seats) {
    if (!pass.edges.has(edge)) continue;
    seats.set(edge, seat);
    taken.add(seat);
  }
  const [first, beyond] = seatsOfCell(pass.cell.meta.id);
  let lowest = first;
  const wanted: number[] = [];
  for (const edge of pass.edges.values()) {
    let seat = seats.get(edge.name);
    const isWanted = wantsInstance(edge, job, everywhere, seat !== undefined);
    if (seat === undefined) {
      if (!isWanted) continue;
      while (taken.has(lowest)) lowest++;
      if (lowest === beyond) continue;
      seat = lowest;
      taken.add(seat);
      seats.set(edge.name, seat);
    }
    const isOver = has(job.done, seat) || has(job.dead, seat);
    if (isWanted || isOver) wanted.push(seat);
  }
  const isSame =
    seats.size === job.seats.size && [...seats.keys()].every((it) => job.seats.has(it));
  const ranges = fromChunks(wanted);
  if (!isSame || !equal(ranges, job.ranges)) reseat(pass, job, { seats, ranges });
}

function wantsInstance(
  edge: EdgeDraft,
  job: JobDraft,
  { onCordoned }: Everywhere,
  isSeated: boolean,
): boolean {
  const { config } = edge.source;
  if (config.removing !== null || config.drain !== null) return false;
  // One that has its instance keeps it: a cordon is about what is new.
  if (config.cordoned !== null && !onCordoned && !isSeated) return false;
  return mismatchOf(edge.source, job.intent.spec) === null;
}

/** Numbers of edges that have left begin anew with whoever gets them. */
function reseat(pass: Pass, job: JobDraft, next: Pick<JobDraft, 'seats' | 'ranges'>): void {
  const { seats, ranges } = next;
  const holders = job.leases.filter((lease) => !isEmpty(subtract(lease.ranges, ranges)));
  const rows = holders.reduce((sum, lease) => sum + leaseCost(lease), jobCost(job));
  if (!canAfford(pass, rows)) return;
  for (const lease of holders) {
    takeAway(lease, subtract(lease.ranges, ranges));
    touchLease(pass, lease, true);
  }
  const left = [...job.seats].filter(([edge]) => !seats.has(edge)).map(([, seat]) => seat);
  const kept = subtract(ranges, fromChunks(left));
  job.seats = seats;
  job.ranges = ranges;
  job.done = intersect(job.done, kept);
  job.dead = intersect(job.dead, kept);
  job.cancelled = intersect(job.cancelled, kept);
  job.revived = intersect(job.revived, kept);
  job.pending = null;
  touchJob(pass, job);
}

/** Each instance to its own edge, where there is room for it now. */
export function placeSeats(pass: Pass, job: JobDraft, everywhere: Everywhere): Turn {
  const placeable = placeableOf(pass, job);
  const queue = pass.queues?.get(job.intent.spec.queue);
  const quota = queue?.config.quota ?? null;
  let rest = placeable;
  for (const [name, seat] of job.seats) {
    const edge = pass.edges.get(name);
    if (edge === undefined || !has(placeable, seat)) continue;
    if (!isOpenTo(pass, job, edge, everywhere) || roomOf(job.demand, edge) === 0) continue;
    if (quota !== null && queue!.held.power + job.demand.power > quota) {
      job.obstacle = 'quota';
      break;
    }
    const isTouched = edge.leases.get(job.id)?.touched === true;
    if (!canAfford(pass, (isTouched ? 0 : 1) + edgeCost(edge) + jobCost(job))) break;
    const one = rangeOf(seat, seat + 1);
    const given = grant(pass, leaseFor(pass, edge, job), one, 1);
    rest = subtract(rest, given);
  }
  return isEmpty(rest) ? 'served' : 'stuck';
}

function isOpenTo(pass: Pass, job: JobDraft, edge: EdgeDraft, { onCordoned }: Everywhere): boolean {
  if (refusalOf(pass, job, edge.name) !== null) return false;
  const { config } = edge.source;
  if (config.cordoned === null || !onCordoned) return unavailable(pass, edge) === null;
  const opened = { ...edge, source: { ...edge.source, config: { ...config, cordoned: null } } };
  return unavailable(pass, opened) === null;
}
