import type { Cell, CellEdge, CellJob } from '../../../core/model/cell.ts';
import { isFinal } from '../../../core/model/job.ts';
import type { EdgeName, JobId } from '../../../core/model/names.ts';
import {
  chunksOf,
  emptyRanges,
  equal,
  has,
  type RangeSet,
  unionAll,
} from '../../../core/model/ranges.ts';
import type { StoredJob } from '../../../core/model/stored-job.ts';
import { knownGeneration } from '../../../core/services/in-effect.ts';
import { numbersOf } from '../../../core/services/instance-numbers.ts';
import { generationsOf } from '../../../core/services/rollout.ts';
import { must } from '../checks/truth.ts';
import { batchJobsIn, openJobsIn, servicesIn } from '../table/jobs-in.ts';
import type { World } from '../world.ts';
import { checkHolders, type Doubles, describeInstances, openOf } from './service-checks.ts';
import { drawServices, ServiceUsers } from './service-users.ts';

export function layOutServices(world: World, takes: boolean): ServiceUsers | null {
  const random = drawServices(world.seed, world.plannedFaults, takes);
  if (random === null) return null;
  const users = new ServiceUsers(
    {
      timeline: world.timeline,
      instances: world.instances,
      request: (request) => world.api.request(request),
      submit: (name, body) => world.users.submit(name, body),
      services: () => servicesIn(world.stored),
      fail: (error) => world.fail(error),
    },
    random,
  );
  users.layOut();
  watchHolders(world);
  return users;
}

export function openBatchJobs(world: World): JobId[] {
  const batch = new Set(batchJobsIn(world.stored).map(({ id }) => id));
  return openJobsIn(world.stored).filter((id) => batch.has(id));
}

const lookEveryMs = 5_000;

/** While a world lasts, somebody looks at what runs there. */
export function watchHolders(world: World): void {
  const doubles: Doubles = new Map();
  const look = () => {
    const { nowMs } = world.timeline;
    if (!world.isUp) doubles.clear();
    try {
      checkHolders(world.instances.running(), doubles, { nowMs, isReachable: reachableIn(world) });
    } catch (error) {
      world.fail(error);
    }
    world.timeline.after(lookEveryMs, 'look at instances', look);
  };
  look();
}

function reachableIn(world: World): (edge: EdgeName) => boolean {
  return (edge) =>
    world.network.isConnected(edge) &&
    world.edges.get(edge)?.isAlive === true &&
    !world.unresponsive.has(edge);
}

/**
 * When all trouble is over every service comes to what its user wants; then all are deleted, and
 * nothing of them runs any more.
 */
export async function endServices(
  world: World,
  users: ServiceUsers,
  patienceMs: number,
  isOver: () => boolean,
): Promise<void> {
  const untilMs = world.timeline.nowMs + patienceMs;
  const complaints = () => users.services().flatMap(({ id }) => complaintOf(world, id) ?? []);
  const isSettled = await world.run(
    untilMs,
    everySoOften(world, () => complaints().length === 0),
  );
  must(world.violation !== null || isSettled, () => complaints()[0] ?? 'a service is not settled');
  if (world.violation !== null) return;
  users.deleteAll();
  const isDeleted = await world.run(world.timeline.nowMs + patienceMs, () =>
    users.services().every(({ id }) => isFinal(world.stored.jobs.get(id)!.status!.state)),
  );
  must(world.violation !== null || isDeleted, () => 'a deleted service never ends');
  // A change that was under way may have brought a job back meanwhile.
  await world.run(world.timeline.nowMs + patienceMs, isOver);
}

/** Long after they were deleted. */
export function checkNothingRuns(world: World): void {
  const left = world.instances.running().filter(({ edge }) => reachableIn(world)(edge));
  must(left.length === 0, () => `deleted services run: ${describeInstances(left)}`);
}

/** Looking at everything after each event would take longer than the events. */
function everySoOften(world: World, look: () => boolean): () => boolean {
  let nextMs = 0;
  return () => {
    if (world.timeline.nowMs < nextMs) return false;
    nextMs = world.timeline.nowMs + lookEveryMs;
    return look();
  };
}

/** What is not yet as its user wants it; `null` when all is. */
function complaintOf(world: World, id: JobId): string | null {
  const { status, job: stored } = world.stored.jobs.get(id)!;
  if (status === null || stored === null || isFinal(status.state)) return null;
  const all = [...world.stored.cells.values()];
  const cells = all.filter(({ jobs }) => jobs.has(id));
  const jobs = cells.map((cell) => cell.jobs.get(id)!);
  if (jobs.length === 0) return `service ${id} is in no cell`;
  const found =
    missingComplaint(all, jobs[0]!) ??
    generationComplaint(jobs) ??
    strayComplaint(world, id, jobs) ??
    cells.map((cell) => cellComplaint(world, stored, cell)).find((it) => it !== null) ??
    null;
  return found === null ? null : `service ${id} ${found}`;
}

function cellComplaint(world: World, { id, spec, chunking }: StoredJob, cell: Cell): string | null {
  const job = cell.jobs.get(id)!;
  return (
    rolloutComplaint(job) ??
    (spec.everywhere === undefined
      ? rangeComplaint(job, numbersOf(chunking))
      : seatsComplaint(world, cell, job)) ??
    instancesComplaint(world, cell, job)
  );
}

/** One that runs everywhere has come to every cell that has an edge. */
function missingComplaint(all: readonly Cell[], { id, intent }: CellJob): string | null {
  if (intent.spec.everywhere?.until !== 'forever') return null;
  const cell = all.find(({ edges, jobs }) => edges.size > 0 && !jobs.has(id));
  return cell === undefined ? null : `has not come to ${cell.meta.id}`;
}

/** Unless its user has to decide, its cells run the same, and none waits for its turn. */
function generationComplaint(jobs: readonly CellJob[]): string | null {
  const rollouts = jobs.flatMap(({ slice }) => slice.rollout ?? []);
  if (rollouts.some(({ state }) => state === 'paused')) return null;
  const isTakenBack = rollouts.some(({ state }) => state === 'rolled-back');
  const waits = rollouts.find(({ awaits }) => awaits !== undefined);
  if (waits !== undefined && !isTakenBack) return `waits for its turn: ${JSON.stringify(waits)}`;
  const run = new Set(jobs.map(({ slice }) => slice.rollout?.generation ?? 1));
  return run.size === 1 ? null : `runs generations ${[...run].join(' and ')}`;
}

function strayComplaint(world: World, id: JobId, jobs: readonly CellJob[]): string | null {
  const open = unionAll(jobs.map(openOf));
  const more = world.instances.running(id).filter((it) => {
    return !has(open, it.chunk) && reachableIn(world)(it.edge);
  });
  return more.length === 0 ? null : `runs what nobody wants: ${describeInstances(more)}`;
}

function rolloutComplaint({ slice }: CellJob): string | null {
  const { state, reason } = slice.rollout ?? { state: 'done', reason: null };
  if (state === 'moving') return `is still moving: ${JSON.stringify(slice.rollout)}`;
  const hasReason = state === 'done' || (reason !== null && reason !== '');
  return hasReason ? null : `is ${state} without a reason`;
}

function rangeComplaint({ slice }: CellJob, wanted: RangeSet): string | null {
  return equal(slice.ranges, wanted) ? null : `has ${slice.ranges}, not ${wanted}`;
}

/** Each edge that is there has its own; of one that never hears of its work nobody expects it. */
function seatsComplaint(world: World, cell: Cell, job: CellJob): string | null {
  const { id, slice } = job;
  const bad = badIn(world, job);
  for (const edge of cell.edges.values()) {
    if (!isExpected(world, edge)) continue;
    const seat = slice.seats?.get(edge.name);
    if (seat === undefined) return `has no seat for ${edge.name}`;
    if (has(slice.done, seat) || has(slice.dead, seat) || bad.has(seat)) continue;
    const held = edge.work?.leases.get(id)?.ranges ?? emptyRanges;
    if (!has(held, seat)) return `has nothing on ${edge.name}`;
  }
  return null;
}

function isExpected(world: World, { name, config }: CellEdge): boolean {
  const isOpen = config.cordoned === null && config.drain === null && config.removing === null;
  return isOpen && reachableIn(world)(name);
}

/** Each number runs once, on the edge that holds it, as what is asked for, and is ready. */
function instancesComplaint(world: World, cell: Cell, job: CellJob): string | null {
  const running = world.instances.running(job.id);
  const open = openOf(job);
  const bad = badIn(world, job);
  for (const chunk of chunksOf(open)) {
    if (bad.has(chunk)) continue;
    const holder = [...cell.edges.values()].find(({ work }) =>
      has(work?.leases.get(job.id)?.ranges ?? emptyRanges, chunk),
    );
    const isExcused =
      job.intent.spec.everywhere !== undefined &&
      (holder === undefined || !isExpected(world, holder));
    if (isExcused) continue;
    if (holder === undefined) return `has no holder of ${chunk}`;
    const starts = running.filter((it) => it.chunk === chunk);
    const attempt = (job.slice.retries.get(chunk)?.failures ?? 0) + 1;
    const own = starts.find((it) => it.edge === holder.name && it.attempt === attempt);
    const lease = holder.work!.leases.get(job.id)!;
    if (own === undefined) return `does not run ${chunk}#${attempt} on ${holder.name}`;
    if (!has(lease.ready ?? emptyRanges, chunk)) return `runs ${chunk} and does not know it`;
    if (own.atMs < world.instances.wantedAnewSinceMs(job.id, chunk))
      return `never started ${chunk} anew`;
    const others = starts.filter((it) => it !== own && reachableIn(world)(it.edge));
    if (others.length > 0) return `runs twice: ${describeInstances(starts)}`;
  }
  return null;
}

/** Instances of a generation that always ends soon are never ready. */
function badIn(world: World, { id, slice, intent }: CellJob): ReadonlySet<number> {
  const bad = new Set<number>();
  for (const [generation, chunks] of generationsOf(slice.rollout, slice.ranges)) {
    const hash = knownGeneration(intent, generation)?.specHash ?? intent.specHash;
    const grace = world.instances.specOf(id, hash)?.stopGraceSeconds ?? 0;
    for (const chunk of chunksOf(chunks)) if (world.instances.isBad(grace, chunk)) bad.add(chunk);
  }
  return bad;
}
