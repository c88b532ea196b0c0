import { isFinal } from '../../core/model/job.ts';
import { type EdgeName, edgeNameOf, type JobId } from '../../core/model/names.ts';
import { count, has } from '../../core/model/ranges.ts';
import type { Bug } from './bugs.ts';
import { calm, type Faults } from './faults.ts';
import { must } from './truth.ts';
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
  options: { bug?: Bug; trace?: (line: string) => void } = {},
): Promise<SeedResult> {
  const world = new World(seed, options);
  const beganMs = world.timeline.nowMs;
  try {
    layOut(world);
    makeTrouble(world);
    await world.run(beganMs + troubleMs);
    endTrouble(world);
    const endMs = world.timeline.nowMs + patienceMs;
    const isOver = () => !world.users.isWaiting && world.openJobs().length === 0;
    await world.run(endMs, isOver);
    if (world.violation === null) checkEnd(world);
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

function layOut(world: World): void {
  const { random, timeline } = world;
  const cells = random.chance(0.5) ? 2 : 1;
  for (let cell = 0; cell < cells; cell++) {
    const id = world.addCell(cell);
    const edges = random.between(2, 5);
    for (let edge = 0; edge < edges; edge++) {
      world.addEdge(id, edgeNameOf(`edge-${cell}-${edge}`), random.pick([100, 250, 400]));
    }
  }
  const jobs = random.between(2, 5);
  for (let job = 0; job < jobs; job++) {
    const name = `job-${job}`;
    timeline.after(random.between(0, 60_000), 'submit', () => submitJob(world, name));
  }
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
  world.fates.set(name, {
    chunkMs: random.pick([20, 300, 2_000, 9_000]),
    failing,
    deadly: random.chance(0.06) ? random.between(0, chunks - 1) : null,
  });
  const others = [...world.stored.jobs.keys()];
  const dependsOn = others.length > 0 && random.chance(0.25) ? [random.pick(others)] : [];
  const edges = random.chance(0.1) ? [random.pick([...world.edges.keys()])] : [];
  await world.users.submit(name, {
    chunks,
    chunkPower: random.pick([10, 50, 100]),
    dependsOn,
    requires: { edges },
    priority: random.pick([10, 50, 90]),
    retries: { attempts: 3, backoffSeconds: random.pick([0, 1, 5]), maxFailedChunks: null },
    lostAfterSeconds: random.pick([5, 20, 120]),
    placement: {
      policy: random.pick(['spread', 'pack', 'fastest']),
      maxEdges: random.chance(0.2) ? 2 : null,
      nodes: null,
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
    for (const name of names) world.setLink(name, false);
    world.timeline.after(ms, 'link back', () => {
      for (const name of names) world.setLink(name, true);
    });
  };
  again(faults.agentKillEveryMs, 'kill', () => {
    world.crash(random.pick(edges), true);
  });
  again(faults.powerLossEveryMs, 'power loss', () => {
    world.crash(random.pick(edges), false);
  });
  again(faults.disconnectEveryMs, 'cut', () =>
    downFor([random.pick(edges)], random.between(500, 60_000)),
  );
  again(faults.cellDisconnectEveryMs, 'cell cut', () => {
    const cell = random.pick([...world.stored.cells.values()]);
    downFor([...cell.edges.keys()], random.between(5_000, 90_000));
  });
  again(faults.planeOutageEveryMs, 'outage', () => {
    world.isUp = false;
    world.timeline.after(random.between(2_000, 60_000), 'plane back', () => {
      world.isUp = true;
    });
  });
  again(faults.userActionEveryMs, 'user', () => userActs(world, edges));
}

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
 * Every edge is opened again; one may be gone for good, and one deaf, as long as another remains in
 * its cell and no job wants just this one.
 */
function endTrouble(world: World): void {
  world.faults = calm;
  world.isUp = true;
  world.users.watch = false;
  const wanted = new Set(world.jobs().flatMap(({ spec }) => spec.requires.edges));
  for (const cell of world.stored.cells.values()) {
    const spare = [...cell.edges.keys()].filter((edge) => !wanted.has(edge));
    const mayGo = world.random.chance(0.3) && cell.edges.size > 1 && spare.length > 0;
    const gone = mayGo ? world.random.pick(spare) : null;
    const strong = [...cell.edges.keys()].filter((edge) => edge !== gone);
    for (const edge of strong) {
      world.configure(edge, { cordoned: null, drain: null });
      world.setLink(edge, true);
    }
    if (gone !== null) world.kill(gone, false);
    const mayBeUnresponsive = spare.filter((edge) => edge !== gone);
    if (strong.length > 1 && mayBeUnresponsive.length > 0 && world.random.chance(0.3)) {
      world.unresponsive.add(world.random.pick(mayBeUnresponsive));
    }
    keepUp(world, strong);
  }
}

/** What a deadly chunk takes down is started again, as an init system would. */
function keepUp(world: World, edges: readonly EdgeName[]): void {
  for (const edge of edges) world.edges.get(edge)?.boot();
  world.timeline.after(5_000, 'keep up', () => keepUp(world, edges));
}

function checkEnd(world: World): void {
  const open = world.openJobs();
  must(open.length === 0, () => `still open after all trouble stopped: ${open.join(', ')}`);
  for (const id of world.stored.jobs.keys()) checkJobEnd(world, id);
  world.book.checkEnd();
}

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
  if (status.cancelled || status.dependencyFailed) return;
  const { failing, deadly } = world.fates.get(rows.job!.spec.name!)!;
  const mayDie = (chunk: number) =>
    chunk === deadly || (failing.get(chunk) ?? 0) >= book.attemptsMin(id);
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
  if (deadly === null && counts.dead === 0) {
    must(status.state === 'done', () => `job ${id} is ${status.state} although nothing was wrong`);
  }
  const counted = [...rows.executions.values()].reduce((sum, row) => sum + count(row.done), 0);
  must(
    counted === counts.done,
    () => `job ${id}: executions count ${counted}, the job ${counts.done}`,
  );
}
