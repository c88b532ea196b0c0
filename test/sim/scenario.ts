import { isFinal } from '../../core/job.ts';
import { type EdgeName, edgeNameOf, type JobId, makeCellId } from '../../core/names.ts';
import { count, has } from '../../core/ranges.ts';
import { makeSpec } from '../core/cell-fixture.ts';
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
    const isOver = () => world.openJobs().length === 0;
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
    jobs: world.jobs.size,
    runs: world.truth.runs,
    steps: world.timeline.steps,
    simulatedMs: world.timeline.nowMs - beganMs,
  };
}

function layOut(world: World): void {
  const { random, fleet, timeline } = world;
  const cells = random.chance(0.4) ? 2 : 1;
  for (let cell = 0; cell < cells; cell++) {
    const id = makeCellId('default', cell);
    fleet.addCell(id, timeline.nowMs);
    const edges = random.between(2, 5);
    for (let edge = 0; edge < edges; edge++) {
      world.addEdge(id, edgeNameOf(`edge-${cell}-${edge}`), random.pick([100, 250, 400]));
    }
  }
  const jobs = random.between(2, 5);
  for (let job = 0; job < jobs; job++) {
    timeline.after(random.between(0, 60_000), 'submit', () => submitJob(world));
  }
}

function submitJob(world: World): void {
  const { random } = world;
  const cells = [...world.fleet.cells.keys()];
  const chunks = random.pick([1, 4, 9, 40, 150]);
  const failing = new Map<number, number>();
  if (random.chance(0.5)) {
    for (let i = 0; i < random.between(1, 3); i++) {
      failing.set(random.between(0, chunks - 1), random.pick([1, 2, 99]));
    }
  }
  const others = [...world.jobs.keys()];
  const dependsOn = others.length > 0 && random.chance(0.25) ? [random.pick(others)] : [];
  world.submit({
    cells: random.chance(0.5) && chunks > 4 ? cells : [random.pick(cells)],
    chunkMs: random.pick([20, 300, 2_000, 9_000]),
    failing,
    deadly: random.chance(0.06) ? random.between(0, chunks - 1) : null,
    spec: makeSpec({
      chunks,
      chunkPower: random.pick([10, 50, 100]),
      dependsOn,
      priority: random.pick([10, 50, 90]),
      retries: { attempts: 3, backoffSeconds: random.pick([0, 1, 5]), maxFailedChunks: null },
      lostAfterSeconds: random.pick([5, 20, 120]),
      placement: {
        policy: random.pick(['spread', 'pack', 'fastest']),
        maxEdges: random.chance(0.2) ? 2 : null,
        nodes: null,
      },
    }),
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
  const bootLater = (edge: EdgeName) => {
    world.timeline.after(random.between(500, 40_000), 'boot', () => world.edges.get(edge)?.boot());
  };
  const downFor = (names: readonly EdgeName[], ms: number) => {
    for (const name of names) world.setLink(name, false);
    world.timeline.after(ms, 'link back', () => {
      for (const name of names) world.setLink(name, true);
    });
  };
  again(faults.agentKillEveryMs, 'kill', () => {
    const edge = random.pick(edges);
    world.kill(edge, true);
    bootLater(edge);
  });
  again(faults.powerLossEveryMs, 'power loss', () => {
    const edge = random.pick(edges);
    world.kill(edge, false);
    bootLater(edge);
  });
  again(faults.linkCutEveryMs, 'cut', () =>
    downFor([random.pick(edges)], random.between(500, 60_000)),
  );
  again(faults.cellCutEveryMs, 'cell cut', () => {
    const cell = random.pick([...world.fleet.cells.values()]);
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
  const jobs = [...world.jobs.keys()];
  const action = random.pick(['cordon', 'open', 'drain', 'cancel', 'retry'] as const);
  if (action === 'cordon') {
    world.configure(edge, { cordoned: { reason: 'care', sinceMs: timeline.nowMs } });
  } else if (action === 'open') {
    world.configure(edge, { cordoned: null, drain: null });
  } else if (action === 'drain') {
    const deadlineAtMs = random.chance(0.5) ? timeline.nowMs + random.between(0, 20_000) : null;
    world.configure(edge, { drain: { reason: 'care', deadlineAtMs } });
  } else if (action === 'cancel' && jobs.length > 0 && random.chance(0.4)) {
    world.cancel(random.pick(jobs));
  } else if (action === 'retry' && jobs.length > 0) {
    world.retry(random.pick(jobs));
  }
}

/**
 * Every edge is opened again; one may be gone for good, and one deaf, as long as another remains in
 * its cell.
 */
function endTrouble(world: World): void {
  world.faults = calm;
  world.isUp = true;
  for (const cell of world.fleet.cells.values()) {
    const gone =
      world.random.chance(0.3) && cell.edges.size > 1
        ? world.random.pick([...cell.edges.keys()])
        : null;
    const strong = [...cell.edges.keys()].filter((edge) => edge !== gone);
    for (const edge of strong) {
      world.configure(edge, { cordoned: null, drain: null });
      world.setLink(edge, true);
    }
    if (gone !== null) world.kill(gone, false);
    if (strong.length > 1 && world.random.chance(0.3)) world.deaf.add(world.random.pick(strong));
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
  for (const id of world.jobs.keys()) checkJobEnd(world, id);
}

function checkJobEnd(world: World, id: JobId): void {
  const status = world.fleet.statuses.get(id)!;
  const job = world.jobs.get(id)!;
  const { counts } = status;
  must(isFinal(status.state), () => `job ${id} is ${status.state}`);
  must(
    counts.done + counts.dead + counts.cancelled === counts.total,
    () => `job ${id}: ${JSON.stringify(counts)} do not add up`,
  );
  if (status.cancelled || status.orphaned) return;
  const hopeless = [...job.failing].filter(([, times]) => times >= job.spec.retries.attempts);
  const isDoomed = (chunk: number) =>
    chunk === job.deadly || hopeless.some(([number]) => number === chunk);
  for (const cell of world.fleet.jobCells.get(id)?.values() ?? []) {
    for (const end of world.fleet.chunkEnds.values()) {
      if (end.job !== id || end.state !== 'dead') continue;
      const isExcused = isDoomed(end.chunk) || end.failure === 'killed-its-edges';
      must(isExcused, () => `job ${id}: chunk ${end.chunk} is dead without a cause`);
    }
    for (const [chunk] of hopeless) {
      must(!has(cell.done, chunk), () => `job ${id}: chunk ${chunk} is done and always fails`);
    }
  }
  if (hopeless.length === 0 && job.deadly === null && counts.dead === 0) {
    must(status.state === 'done', () => `job ${id} is ${status.state} although nothing was wrong`);
  }
  const counted = [...world.fleet.executions.values()]
    .filter((row) => row.job === id)
    .reduce((sum, row) => sum + count(row.done), 0);
  must(
    counted === counts.done,
    () => `job ${id}: executions count ${counted}, the job ${counts.done}`,
  );
}
