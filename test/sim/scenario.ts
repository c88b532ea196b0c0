import { isFinal } from '../../core/model/job.ts';
import { type EdgeName, edgeNameOf, type JobId } from '../../core/model/names.ts';
import { count, emptyRanges, has } from '../../core/model/ranges.ts';
import { journalRetryMs } from '../../edge-agent/limits.ts';
import type { Bug } from './bugs/bugs.ts';
import { checkPromptness } from './checks/promptness.ts';
import { checkTimelines } from './checks/timelines.ts';
import { checkTotals } from './checks/totals.ts';
import { must, mustBeWithin } from './checks/truth.ts';
import { layOutBursts, layOutCrowd } from './crowds/bursts.ts';
import { drawDemands, layOutQueues } from './demands.ts';
import { calm, type Faults } from './faults.ts';
import { makeIntruder } from './hostile/intruder.ts';
import { planRestore } from './restore.ts';
import { type SeededRandom, seededRandom } from './seeded-random.ts';
import {
  checkNothingRuns,
  endServices,
  layOutServices,
  openBatchJobs,
} from './services/service-scenario.ts';
import { batchJobsIn, jobsIn, openJobsIn } from './table/jobs-in.ts';
import { World } from './world.ts';

/**
 * One seed: a fleet, jobs, and trouble for a while; then the trouble stops, everything that is not
 * gone for good comes back, and every job must end with the right numbers.
 */
export type SeedResult = {
  readonly seed: number;
  readonly faults: Faults;
  readonly hash: string;
  readonly violation: Error | null;
  readonly jobs: number;
  readonly runs: number;
  readonly steps: number;
  readonly simulatedMs: number;
};

const troubleMs = 150_000;
/** A chunk that fails this often never succeeds, however many attempts users give it. */
const always = 999;
/**
 * Longer than the slowest reaper: an edge that is silent although it is leased is believed for half
 * an hour.
 */
const patienceMs = 12 * 3_600_000;

export async function runSeed(
  seed: number,
  options: { bug?: Bug; trace?: (line: string) => void; patienceMs?: number } = {},
): Promise<SeedResult> {
  const world = new World(seed, options);
  const beganMs = world.timeline.nowMs;
  try {
    const takers = drawTakers(seed);
    await layOut(world, seededRandom(seed).stream('bursts'), takers ?? noTakers);
    const services = layOutServices(world, takers !== null);
    makeTrouble(world);
    planRestore(world);
    await world.run(beganMs + troubleMs);
    endTrouble(world);
    const endMs = world.timeline.nowMs + (options.patienceMs ?? patienceMs);
    services?.rest();
    const isOver = () => !world.users.isWaiting && openBatchJobs(world).length === 0;
    await world.run(endMs, isOver);
    const forMs = options.patienceMs ?? patienceMs;
    if (services !== null) await endServices(world, services, forMs, isOver);
    if (world.violation === null) await checkEnd(world);
    if (services !== null) checkNothingRuns(world);
    if (world.violation === null && !world.isMaimed) await checkPromptness(world);
  } catch (error) {
    world.fail(error);
  }
  return {
    seed,
    faults: world.plannedFaults,
    hash: world.hash(),
    violation: world.violation,
    jobs: world.stored.jobs.size,
    runs: world.truth.runs,
    steps: world.timeline.steps,
    simulatedMs: world.timeline.nowMs - beganMs,
  };
}

/** In one world of six some edges take their work by themselves, over HTTPS. */
function drawTakers(seed: number): Pick<SeededRandom, 'chance'> | null {
  const random = seededRandom(seed).stream('takers');
  return random.chance(1 / 6) ? random : null;
}

const noTakers = { chance: () => false };

async function layOut(
  world: World,
  bursts: SeededRandom,
  takers: Pick<SeededRandom, 'chance'>,
): Promise<void> {
  const { random, timeline } = world;
  const cells = random.chance(0.5) ? 2 : 1;
  await layOutQueues(world.stores.queues);
  for (let cell = 0; cell < cells; cell++) {
    const id = await world.addCell(cell);
    const edges = random.between(2, 5);
    for (let edge = 0; edge < edges; edge++) {
      const isHttps = world.transports.chance(world.faults.httpsEdges);
      const takes = edge > 0 && takers.chance(0.6);
      await world.addEdge(
        id,
        edgeNameOf(`edge-${cell}-${edge}`),
        random.pick([100, 250, 400]),
        takes ? { https: true, pull: { offers: 'pool' } } : { https: isHttps, pull: null },
      );
    }
  }
  const jobs = random.between(2, 5);
  for (let job = 0; job < jobs; job++) {
    const name = `job-${job}`;
    timeline.after(random.between(0, 60_000), 'submit', () => submitJob(world, name));
  }
  if (bursts.chance(0.3)) layOutBursts(world, bursts);
  layOutCrowd(world);
}

async function submitJob(world: World, name: string): Promise<void> {
  const { random } = world;
  const chunks = random.pick([1, 4, 9, 40, 40, 150]);
  const failing = new Map<number, number>();
  if (random.chance(0.6)) {
    for (let i = 0; i < random.between(1, 4); i++) {
      failing.set(random.between(0, chunks - 1), random.pick([1, 2, always]));
    }
  }
  const { nodes, ...demands } = drawDemands(random, chunks);
  world.chunks.fates.set(name, {
    // What runs for long meets the end of the time that it may run without contact.
    chunkMs: demands.offlineSeconds === null ? random.pick([20, 300, 2_000, 9_000]) : 20_000,
    failing,
    deadly: random.chance(0.06) ? random.between(0, chunks - 1) : null,
  });
  const others = batchJobsIn(world.stored).map(({ id }) => id);
  const dependsOn = others.length > 0 && random.chance(0.25) ? [random.pick(others)] : [];
  const edges = random.chance(0.1) ? [random.pick(world.members.staying(world.edges.keys()))] : [];
  for (const edge of edges) world.members.want(edge);
  await world.users.submit(name, {
    ...demands,
    ...world.results.draw(),
    chunks,
    chunkPower: random.pick([10, 50, 100]),
    dependsOn,
    requires: { edges },
    priority: random.pick([10, 50, 90]),
    retries: { attempts: 3, backoffSeconds: random.pick([0, 1, 5]), maxFailedChunks: null },
    lostAfterSeconds: random.pick([5, 20, 120]),
    placement: {
      policy: random.pick(['spread', 'pack', 'fastest']),
      maxEdges: nodes === null && random.chance(0.2) ? 2 : null,
      nodes,
    },
  });
}

function makeTrouble(world: World): void {
  const { random, faults } = world;
  const edges = [...world.edges.keys()];
  const again = (everyMs: number, name: string, happen: () => void) => {
    if (everyMs === 0) return;
    const wait = () => {
      world.timeline.after(random.between(everyMs / 2, everyMs * 1.5), name, () => {
        if (world.faults === calm) return;
        happen();
        wait();
      });
    };
    wait();
  };
  const downFor = (names: readonly EdgeName[], ms: number) => {
    for (const name of names) world.network.set(name, false);
    world.timeline.after(ms, 'link back', () => {
      for (const name of names) world.network.set(name, true);
    });
  };
  again(faults.agentKillEveryMs, 'kill', () => {
    world.crash(random.pick(edges), true);
  });
  again(faults.powerLossEveryMs, 'power loss', () => {
    world.crash(random.pick(edges), false);
  });
  again(faults.disconnectEveryMs, 'cut', () => {
    const edge = random.pick(edges);
    downFor([edge], random.between(500, 60_000));
    const { setClockOnCut } = world.faults;
    if (setClockOnCut === 0 || !random.chance(setClockOnCut)) return;
    world.timeline.after(random.between(0, 20_000), 'clock', () => world.clocks.set(edge));
  });
  again(faults.cellDisconnectEveryMs, 'cell cut', () => {
    const cell = random.pick([...world.stored.cells.values()]);
    downFor([...cell.edges.keys()], random.between(5_000, 90_000));
  });
  again(faults.controlPlaneOutageEveryMs, 'outage', () => {
    world.goDown(random.between(2_000, 60_000));
  });
  again(faults.diskFullEveryMs, 'disk full', () => fillDisk(world, random.pick(edges)));
  again(faults.copyEdgeEveryMs, 'copy', () => copyEdge(world, random.pick(edges)));
  again(faults.setClockEveryMs, 'clock', () => world.clocks.set(random.pick(edges)));
  // What is restored does not know of those who came or went.
  again(faults.restoreTable === 0 ? faults.membershipEveryMs : 0, 'membership', () => {
    const cell = random.pick([...world.stored.cells.values()]);
    if (random.chance(0.5)) world.members.enrol(cell);
    else world.members.remove(cell);
  });
  again(faults.otherVersions === 0 ? 0 : 20_000, 'unknown row', () =>
    world.versions.writeUnknownRow(world.table),
  );
  const intruder = makeIntruder(world);
  again(faults.intrudeEveryMs, 'intruder', () => intruder.act());
  again(faults.splitShardEveryMs, 'split', () => world.stream.split());
  again(faults.userActionEveryMs, 'user', () => userActs(world, edges));
}

/** Down to nothing, or to a few lines of a journal: the last of them is torn. */
function fillDisk(world: World, edge: EdgeName): void {
  const { random, timeline } = world;
  const { disk } = world.edges.get(edge)!;
  disk.leave(random.between(0, 600));
  timeline.after(random.between(1_000, 60_000), 'disk free', () => {
    disk.leave(noLimit);
    const { killOnDiskFree } = world.faults;
    if (killOnDiskFree === 0 || !random.chance(killOnDiskFree)) return;
    timeline.after(random.between(100, journalRetryMs + 500), 'kill', () =>
      world.crash(edge, true),
    );
  });
}

/** Until it is noticed, or long before. */
function copyEdge(world: World, edge: EdgeName): void {
  if (world.members.isLeaving(edge)) return;
  world.note(`${edge} is copied`);
  world.chunks.doubtful.add(edge);
  world.hosts.copy(edge);
  world.timeline.after(world.random.between(10_000, 900_000), 'stop the copy', () => {
    world.hosts.stopCopy(edge);
    world.network.vanish(edge);
  });
}

const noLimit = Number.POSITIVE_INFINITY;

function userActs(world: World, edges: readonly EdgeName[]): void {
  const { random, timeline } = world;
  const edge = random.pick(edges);
  const action = random.pick(['cordon', 'open', 'drain', 'job', 'job', 'job'] as const);
  if (action === 'cordon') {
    world.configure(edge, { cordoned: { reason: 'care', sinceMs: timeline.nowMs } });
  } else if (action === 'open') {
    world.configure(edge, { cordoned: null, drain: null });
  } else if (action === 'drain') {
    const deadlineAtMs = random.chance(0.5) ? timeline.nowMs + random.between(0, 20_000) : null;
    world.configure(edge, { drain: { reason: 'care', deadlineAtMs } });
  } else {
    world.users.act();
  }
}

/**
 * Every edge is opened again; one may be gone for good, and one unresponsive, as long as another
 * remains in its cell and no job wants just this one.
 */
function endTrouble(world: World): void {
  world.faults = calm;
  world.isUp = true;
  world.users.watch = false;
  for (const edge of world.edges.values()) edge.disk.leave(noLimit);
  const wanted = new Set(jobsIn(world.stored).flatMap(({ spec }) => spec.requires.edges));
  for (const cell of world.stored.cells.values()) {
    const staying = world.members.staying(cell.edges.keys());
    const spare = staying.filter((edge) => !wanted.has(edge));
    const mayGo = world.random.chance(0.3) && staying.length > 1 && spare.length > 0;
    const gone = mayGo ? world.random.pick(spare) : null;
    const strong = staying.filter((edge) => edge !== gone);
    for (const edge of strong) {
      world.configure(edge, { cordoned: null, drain: null });
      world.network.set(edge, true);
    }
    if (gone !== null) world.kill(gone, false);
    world.isMaimed ||= gone !== null;
    const mayBeUnresponsive = spare.filter((edge) => edge !== gone);
    if (strong.length > 1 && mayBeUnresponsive.length > 0 && world.random.chance(0.3)) {
      world.unresponsive.add(world.random.pick(mayBeUnresponsive));
      world.isMaimed = true;
    }
    keepUp(world, strong);
  }
}

/** What a deadly chunk takes down is started again, as an init system would. */
function keepUp(world: World, edges: readonly EdgeName[]): void {
  for (const edge of edges) world.boot(edge);
  world.timeline.after(5_000, 'keep up', () => keepUp(world, edges));
}

async function checkEnd(world: World): Promise<void> {
  const open = openJobsIn(world.stored);
  must(open.length === 0, () => `still open after all trouble stopped: ${open.join(', ')}`);
  for (const { id } of batchJobsIn(world.stored)) checkJobEnd(world, id);
  world.book.checkEnd();
  await world.run(world.timeline.nowMs + leaveMs);
  await world.members.checkEnd();
  world.users.checkBatches();
  await checkTotals(world.stored, world.stores);
  await checkTimelines(world.stored, world.stores.jobs);
}

/** Whoever is to leave is looked at every five minutes; one that answers nothing is lost first. */
const leaveMs = 2 * 3_600_000;

function checkJobEnd(world: World, id: JobId): void {
  const { stored, book } = world;
  const rows = stored.jobs.get(id)!;
  const status = rows.status!;
  const { counts } = status;
  must(isFinal(status.state), () => `job ${id} is ${status.state}`);
  must(
    counts.done + counts.dead + counts.cancelled === counts.total,
    () => `job ${id}: ${JSON.stringify(counts)} do not add up`,
  );
  const isLate = status.reason === 'deadline' && rows.job!.spec.deadlineSeconds !== null;
  if (status.cancelled || status.dependencyFailed || isLate) return;
  const { failing, deadly } = world.chunks.fates.get(rows.job!.spec.name!)!;
  const mayDie = (chunk: number) =>
    world.chunks.calledFailed.has(`${id}/${chunk}`) ||
    chunk === deadly ||
    (failing.get(chunk) ?? 0) >= book.attemptsMin(id);
  for (const end of rows.ends.values()) {
    const isExcused = end.state !== 'dead' || mayDie(end.chunk);
    must(
      isExcused || end.failure === 'killed-its-edges',
      () => `job ${id}: chunk ${end.chunk} is dead without a cause`,
    );
  }
  for (const cell of rows.cells.values()) {
    for (const [chunk, times] of failing) {
      const isLie = world.truth.hasCompleted(id, chunk);
      const isDone = times === always && has(cell.done, chunk) && !isLie;
      must(!isDone, () => `job ${id}: chunk ${chunk} is done and always fails`);
    }
  }
  const unwanted = rows.job!.cancelledRanges ?? emptyRanges;
  for (const cell of status.reason === 'max-failed-chunks' ? [] : rows.cells.values()) {
    mustBeWithin(cell.cancelled, unwanted, `job ${id}: chunks that nobody cancelled`);
  }
  if (deadly === null && counts.dead === 0) {
    const state = counts.cancelled === counts.total ? 'cancelled' : 'done';
    must(status.state === state, () => `job ${id} is ${status.state} although nothing was wrong`);
  }
  const counted = [...rows.executions.values()].reduce((sum, row) => sum + count(row.done), 0);
  must(
    counted === counts.done,
    () => `job ${id}: executions count ${counted}, the job ${counts.done}`,
  );
}
