import type { Cell, CellJob } from '../../core/model/cell.ts';
import type { EdgeName, JobId } from '../../core/model/names.ts';
import type { Plan } from '../../core/model/plan.ts';
import { count, emptyRanges, formatRanges, isEmpty, subtract } from '../../core/model/ranges.ts';
import { doubledUntilMs } from '../../core/model/starts.ts';
import type { StoredJob } from '../../core/model/stored-job.ts';
import type { Queues } from '../../core/ports/pools.ts';
import { must } from './checks/truth.ts';
import type { SeededRandom } from './seeded-random.ts';

/**
 * What some jobs ask for besides being run: to be over in time, to run on several edges at once or
 * not at all, not to be worked on without contact; and queues that may hold only so much.
 */
export type Demands = {
  readonly queue: string;
  readonly nodes: number | null;
  readonly deadlineSeconds: number | null;
  readonly offlineSeconds: number | null;
};

/** Of every pool; a cell gets its part of it, which the largest chunk still fits. */
const smallQuota = 300;

export async function layOutQueues(queues: Queues): Promise<void> {
  const queue = { name: 'small', weight: 1, strict: false, quota: smallQuota, version: 1 };
  await queues.put(queue, null);
}

/** A gang may wait for edges that never come: it always has a deadline. */
export function drawDemands(random: SeededRandom, chunks: number): Demands {
  const isGang = chunks <= 9 && chunks > 1 && random.chance(0.25);
  const hasDeadline = isGang || random.chance(0.12);
  return {
    queue: random.chance(0.25) ? 'small' : 'default',
    nodes: isGang ? 2 : null,
    deadlineSeconds: hasDeadline ? random.pick([20, 60, 600]) : null,
    offlineSeconds: random.chance(0.2) ? random.pick([5, 20]) : null,
  };
}

export function checkDemands(
  seen: Cell,
  before: Cell,
  after: Cell,
  plan: Plan,
  nowMs: number,
): void {
  for (const [id, job] of after.jobs) {
    checkDeadline(seen, after, plan, id, nowMs);
    checkGang(before, after, job);
  }
  checkQuotas(before, after);
  checkDoubled(seen, before, after, nowMs);
}

/** What the pass knew to be two agents with one identity gets nothing, until that is over. */
function checkDoubled(seen: Cell, before: Cell, after: Cell, nowMs: number): void {
  for (const { name, work } of after.edges.values()) {
    const untilMs = doubledUntilMs(seen.edges.get(name)?.work?.starts);
    if (untilMs === null || nowMs > untilMs - clockSlackMs) continue;
    for (const [id, { ranges }] of work?.leases ?? []) {
      const had = before.edges.get(name)?.work?.leases.get(id)?.ranges ?? emptyRanges;
      const fresh = subtract(ranges, had);
      must(isEmpty(fresh), () => `${name} is there twice and was given ${formatRanges(fresh)}`);
    }
  }
}

/** By so much functions may disagree on the time, and take until they commit. */
const clockSlackMs = 60_000;

/** Functions do not agree on the time to the second, and a commit takes its own. */
const deadlineSlackMs = 30_000;

function checkDeadline(seen: Cell, after: Cell, plan: Plan, id: JobId, nowMs: number): void {
  const intent = seen.jobs.get(id)?.intent;
  const seconds = intent?.spec.deadlineSeconds ?? null;
  if (intent === undefined || seconds === null || !plan.jobStatuses.has(id)) return;
  const lateMs = nowMs - intent.submittedAtMs - seconds * 1_000;
  const holders = [...holdersOf(after, id)];
  const isOver = lateMs <= deadlineSlackMs || holders.length === 0;
  must(isOver, () => `job ${id} is ${lateMs} ms late and ${holders.join(', ')} hold chunks of it`);
}

function* holdersOf(cell: Cell, id: JobId): Generator<EdgeName> {
  for (const { name, work } of cell.edges.values()) {
    if (!isEmpty(work?.leases.get(id)?.ranges ?? emptyRanges)) yield name;
  }
}

/** The first time that a gang is given anything, it is given all of it, on as many edges. */
function checkGang(before: Cell, after: Cell, { id, intent, slice }: CellJob): void {
  const { nodes } = intent.spec.placement;
  const was = before.jobs.get(id)?.slice;
  if (nodes === null || was === undefined || [...holdersOf(before, id)].length > 0) return;
  const isFirst = isEmpty(was.done) && isEmpty(was.dead) && was.retries.size === 0;
  const holders = [...holdersOf(after, id)];
  if (!isFirst || was.startedAtMs !== null || holders.length === 0) return;
  const wanted = Math.min(nodes, count(slice.ranges));
  must(holders.length >= wanted, () => `gang ${id} runs on ${holders.length} of ${wanted} edges`);
  let waiting = subtract(subtract(slice.ranges, slice.done), slice.cancelled);
  for (const { work } of after.edges.values()) {
    waiting = subtract(waiting, work?.leases.get(id)?.ranges ?? emptyRanges);
  }
  must(isEmpty(waiting), () => `gang ${id} runs and ${formatRanges(waiting)} of it waits`);
}

/** A queue that holds more than its quota, which may have been larger, gets nothing more. */
function checkQuotas(before: Cell, after: Cell): void {
  for (const [name, { quota }] of after.queues) {
    if (quota === null) continue;
    const held = heldBy(after, name);
    const allowed = Math.max(quota, heldBy(before, name));
    must(held <= allowed, () => `queue ${name} holds ${held} power, and ${quota} is its quota`);
  }
}

function heldBy(cell: Cell, queue: string): number {
  let power = 0;
  for (const { work } of cell.edges.values()) {
    for (const [id, { ranges, slots }] of work?.leases ?? []) {
      const intent = cell.jobs.get(id)?.intent;
      if (intent?.spec.queue !== queue) continue;
      power += Math.min(slots, count(ranges)) * intent.chunking.chunkPower;
    }
  }
  return power;
}

/** When an edge was last connected: without, it may work on only for so long. */
export type ContactBook = {
  lost(edge: EdgeName, atMs: number): void;
  /** A chunk came to its own end on this edge. */
  ended(edge: EdgeName, job: StoredJob, nowMs: number): void;
};

/** The agent writes its last contact down every fifteen seconds, and looks again as often. */
const contactSlackMs = 35_000;

export function createContactBook(isConnected: (edge: EdgeName) => boolean): ContactBook {
  const lastMs = new Map<EdgeName, number>();
  return {
    lost: (edge, atMs) => {
      lastMs.set(edge, atMs);
    },
    ended(edge, { id, spec }, nowMs) {
      if (isConnected(edge)) lastMs.set(edge, nowMs);
      if (spec.offlineSeconds === null) return;
      const silentMs = nowMs - (lastMs.get(edge) ?? nowMs);
      must(
        silentMs <= spec.offlineSeconds * 1_000 + contactSlackMs,
        () => `${edge} works on job ${id}, ${silentMs} ms after its last contact`,
      );
    },
  };
}
