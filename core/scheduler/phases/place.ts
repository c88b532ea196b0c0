import { count, intersect, isEmpty, rangeOf } from '../../model/ranges.ts';
import { divide, type Places } from '../divide.ts';
import { grant } from '../leases/grant.ts';
import { choose, left, openPicker, type Picker, remove } from '../leases/pick.ts';
import { hasRoomForEntry, kindOfNeed, matchingEdges, roomOf } from '../pass/candidates.ts';
import { type Demand, fitOf } from '../pass/capacity.ts';
import { type EdgeDraft, isActive, type JobDraft, leaseFor, type Pass } from '../pass/draft.ts';
import { holdersFirst } from '../pass/held-inputs.ts';
import { leaveUnmet } from '../pass/yield.ts';
import { canAfford, edgeCost, jobCost } from '../plan/rows.ts';
import type { Turn } from './order-backlog.ts';

/**
 * Gives waiting chunks to edges with room, by the job's policy. Places are counted, not enumerated:
 * per edge how many chunks fit, then one division over all of them.
 */
export function place(pass: Pass, job: JobDraft, powerMax: number): Turn {
  const picker = openPicker(pass, job);
  const all = left(picker);
  if (all === 0) return 'served';
  const wanted = chunksWithin(pass, job, all, powerMax);
  if (wanted === 0) return 'stuck';
  let placed = placeLarge(pass, picker);
  const ordinary = Math.min(wanted - placed, left(picker));
  if (ordinary > 0) placed += placeChunks(pass, picker, ordinary, job.demand.power);
  if (placed === all) return 'served';
  if (placed >= wanted) return 'more';
  if (job.obstacle === null) leaveUnmet(pass, job, (all - placed) * job.demand.power);
  return 'stuck';
}

/**
 * The last chunk reserves more than the others when the division left a remainder: it looks for its
 * edge first.
 */
function placeLarge(pass: Pass, picker: Picker): number {
  const { demand } = picker.job;
  if (demand.lastPower === demand.power) return 0;
  const large = rangeOf(demand.lastChunk, demand.lastChunk + 1);
  const single: Picker = {
    ...picker,
    retried: intersect(picker.retried, large),
    fresh: intersect(picker.fresh, large),
  };
  if (left(single) === 0) return 0;
  remove(picker, large);
  return placeChunks(pass, single, 1, demand.lastPower);
}

/** What the queue's quota and its turn leave of the wanted number. */
function chunksWithin(pass: Pass, job: JobDraft, wanted: number, powerMax: number): number {
  const queue = pass.queues?.get(job.intent.spec.queue);
  const turn = Math.max(1, Math.floor(powerMax / job.demand.power));
  let most = Math.min(wanted, turn);
  if (queue !== undefined && queue.config.quota !== null) {
    const free = queue.config.quota - queue.held.power;
    const within = Math.max(0, Math.floor(free / job.demand.power));
    if (within < most) {
      most = within;
      job.obstacle = 'quota';
    }
  }
  return most;
}

function placeChunks(pass: Pass, picker: Picker, wanted: number, power: number): number {
  const { job } = picker;
  const placed = placeOn(pass, picker, candidates(pass, job, power), wanted, power);
  if (placed === wanted || isEmpty(picker.retried) || !picker.hasHealthy) return placed;
  // What edges with failures left to the others was not counted when their places were.
  const healthy = candidates(pass, job, power).filter((edge) => edge.failuresInRow === 0);
  return placed + placeOn(pass, picker, healthy, wanted - placed, power);
}

function placeOn(
  pass: Pass,
  picker: Picker,
  edges: readonly EdgeDraft[],
  wanted: number,
  power: number,
): number {
  const { job } = picker;
  if (edges.length === 0) return 0;
  const slots = allot(job, edges, wanted, power);
  const inOrder = slots.reduce((sum, n) => sum + n, 0) >= left(picker);
  let placed = 0;
  for (let i = 0; i < edges.length; i++) {
    if (slots[i] === 0) continue;
    const edge = edges[i]!;
    const touched = edge.leases.get(job.id)?.touched === true;
    if (!canAfford(pass, (touched ? 0 : 1) + edgeCost(edge) + jobCost(job))) break;
    const lease = leaseFor(pass, edge, job);
    const given = grant(pass, lease, choose(picker, lease, slots[i]!, inOrder), slots[i]!);
    remove(picker, given);
    placed += count(given);
  }
  return placed;
}

function candidates(pass: Pass, job: JobDraft, power: number): EdgeDraft[] {
  const key = kindOfNeed(job);
  if (power >= (pass.memo.unfitPowerByNeed.get(key) ?? Number.POSITIVE_INFINITY)) return [];
  const fitting: EdgeDraft[] = [];
  let full = job.refusals.size === 0;
  for (const edge of matchingEdges(pass, job)) {
    if (edge.free.power < power || roomOf(job.demand, edge, power) === 0) continue;
    full = false;
    const lease = edge.leases.get(job.id);
    if (lease !== undefined && lease.reclaiming.length > 0) continue;
    if (!hasRoomForEntry(edge)) {
      job.obstacle ??= 'shadow-full';
      continue;
    }
    fitting.push(edge);
  }
  // Placing only takes room away, so what does not fit now does not fit later in this pass.
  if (full) pass.memo.unfitPowerByNeed.set(key, power);
  return withinMaxEdges(job, holdersFirst(job.intent.spec.inputs, fitting));
}

function withinMaxEdges(job: JobDraft, edges: EdgeDraft[]): EdgeDraft[] {
  const { maxEdges } = job.intent.spec.placement;
  if (maxEdges === null) return edges;
  const holders = job.leases.filter(isActive).length;
  const held = (edge: EdgeDraft) => {
    const lease = edge.leases.get(job.id);
    return lease !== undefined && isActive(lease);
  };
  const mine = edges.filter(held);
  const others = edges.filter((edge) => !held(edge));
  const more = Math.max(0, maxEdges - holders);
  if (others.length > more) job.obstacle = 'max-edges';
  others.sort((a, b) => fitOf(job.demand, b.free) - fitOf(job.demand, a.free));
  return [...mine, ...others.slice(0, more)];
}

/** How many chunks each edge gets. */
function allot(
  job: JobDraft,
  edges: readonly EdgeDraft[],
  wanted: number,
  power: number,
): Int32Array {
  const places = placesOf(job.demand, edges, power);
  switch (job.intent.spec.placement.policy) {
    case 'spread':
      return divide(wanted, places).chunks;
    case 'pack':
      return pack(wanted, places.fit);
    case 'fastest':
      return fillInOrder(wanted, places.fit, bySpeed(job, edges));
  }
}

export function placesOf(demand: Demand, edges: readonly EdgeDraft[], power: number): Places {
  const fit = new Int32Array(edges.length);
  const load = new Float64Array(edges.length);
  const room = new Float64Array(edges.length);
  for (let i = 0; i < edges.length; i++) {
    const { capacity, free } = edges[i]!;
    fit[i] = roomOf(demand, edges[i]!, power);
    // The resource of which one chunk takes the largest part is the one to keep level.
    let amount = capacity.power / power;
    let used = 1 - free.power / capacity.power;
    for (const [name, need] of demand.others) {
      const all = capacity.others.get(name) ?? 0;
      if (all / need >= amount) continue;
      amount = all / need;
      used = 1 - (free.others.get(name) ?? 0) / all;
    }
    load[i] = used;
    room[i] = amount;
  }
  return { fit, load, room };
}

/** Fewest edges: the roomiest first, and for the rest the first of the smallest that hold it. */
export function pack(wanted: number, fit: Int32Array): Int32Array {
  const order = Array.from(fit.keys()).sort((a, b) => fit[b]! - fit[a]! || a - b);
  const slots = new Int32Array(fit.length);
  let rest = wanted;
  for (let at = 0; at < order.length && rest > 0; at++) {
    let edge = order[at]!;
    if (fit[edge]! >= rest) {
      for (let next = at; next < order.length && fit[order[next]!]! >= rest; next++) {
        if (fit[order[next]!]! < fit[edge]!) edge = order[next]!;
      }
    }
    slots[edge] = Math.min(rest, fit[edge]!);
    rest -= slots[edge]!;
  }
  return slots;
}

function fillInOrder(wanted: number, fit: Int32Array, order: readonly number[]): Int32Array {
  const slots = new Int32Array(fit.length);
  let rest = wanted;
  for (const edge of order) {
    slots[edge] = Math.min(rest, fit[edge]!);
    rest -= slots[edge]!;
  }
  return slots;
}

/**
 * Measured edges by their time for a chunk of this job; one not tried yet stands where the average
 * does.
 */
function bySpeed(job: JobDraft, edges: readonly EdgeDraft[]): number[] {
  const known = job.leases.flatMap((lease) => (lease.chunkMs === null ? [] : [lease.chunkMs]));
  const mean = known.reduce((sum, ms) => sum + ms, 0) / Math.max(1, known.length);
  const ms = edges.map((edge) => edge.leases.get(job.id)?.chunkMs ?? mean);
  return edges.map((_, i) => i).sort((a, b) => ms[a]! - ms[b]! || a - b);
}
