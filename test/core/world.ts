import fc from 'fast-check';
import type { Cell, CellEdge, EdgeConfig } from '../../core/model/cell.ts';
import type { EdgeName, JobId } from '../../core/model/names.ts';
import { emptyRanges, isEmpty, rangeOf, union } from '../../core/model/ranges.ts';
import {
  encodeProgressReport,
  noProgress,
  parseProgressReport,
} from '../../core/protocol/progress-report.ts';
import { encodeWork, parseWork } from '../../core/protocol/work.ts';
import { workOf } from '../../core/protocol/work-of.ts';
import { applyPlan } from '../../core/scheduler/apply-plan.ts';
import { violationsOf } from '../../core/scheduler/invariants.ts';
import { reconcile } from '../../core/scheduler/reconcile.ts';
import {
  makeCell,
  makeEdge,
  makeJob,
  makeReport,
  plainConfig,
  startMs,
  withEdge,
  withIntent,
} from './cell-fixture.ts';
import { checkCapacity, checkChunks, checkDocuments, checkStep } from './invariants.ts';
import {
  applyWork,
  finishChunks,
  type ModelAgent,
  newAgent,
  report,
  startChunks,
  wipe,
} from './model-agent.ts';

/**
 * A cell, its edges and a clock, moved by commands: what property tests play with. Every pass is
 * checked.
 */
export type World = {
  cell: Cell;
  nowMs: number;
  readonly agents: Map<EdgeName, ModelAgent>;
  jobs: number;
  edges: number;
  /** Chunks for which this says so fail at this attempt. */
  failing: boolean;
  strict: boolean;
};

export function newWorld(): World {
  const cell = makeCell({
    queues: new Map([
      ['default', { weight: 1, strict: false, quota: null }],
      ['strict', { weight: 2, strict: true, quota: null }],
      ['small', { weight: 1, strict: false, quota: 300 }],
    ]),
  });
  return {
    cell,
    nowMs: startMs,
    agents: new Map(),
    jobs: 0,
    edges: 0,
    failing: true,
    strict: false,
  };
}

export type Command =
  | {
      kind: 'submit';
      chunks: number;
      power: number;
      extra: number;
      queue: number;
      priority: number;
      shape: number;
    }
  | { kind: 'add-edge'; power: number; gpus: number; site: number }
  | { kind: 'edge'; edge: number; steps: number }
  | { kind: 'refuse'; edge: number; job: number }
  | { kind: 'configure'; edge: number; what: number }
  | { kind: 'link'; edge: number; connected: boolean }
  | { kind: 'wipe'; edge: number }
  | { kind: 'cancel'; job: number }
  | { kind: 'cancel-ranges'; job: number; first: number; chunks: number }
  | { kind: 'retry'; job: number }
  | { kind: 'wait'; seconds: number }
  | { kind: 'tick' }
  | { kind: 'pass' };

const small = fc.nat({ max: 20 });

export const commands: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('submit' as const),
      chunks: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 5_000 })),
      power: fc.integer({ min: 1, max: 300 }),
      extra: fc.nat({ max: 40 }),
      queue: fc.nat({ max: 2 }),
      priority: fc.nat({ max: 3 }),
      shape: fc.nat({ max: 7 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('add-edge' as const),
      power: fc.integer({ min: 50, max: 600 }),
      gpus: fc.nat({ max: 3 }),
      site: fc.nat({ max: 2 }),
    }),
  },
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('edge' as const),
      edge: small,
      steps: fc.integer({ min: 0, max: 30 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('refuse' as const), edge: small, job: small }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('configure' as const),
      edge: small,
      what: fc.nat({ max: 6 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('link' as const),
      edge: small,
      connected: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('wipe' as const), edge: small }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const), job: small }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('cancel-ranges' as const),
      job: small,
      first: small,
      chunks: fc.integer({ min: 1, max: 50 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('retry' as const), job: small }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      seconds: fc.oneof(fc.constant(1), fc.constant(7), fc.constant(130), fc.constant(2_000)),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('tick' as const) }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('pass' as const) }) },
);

export function play(world: World, command: Command): void {
  switch (command.kind) {
    case 'submit':
      submit(world, command);
      break;
    case 'add-edge':
      addEdge(world, command);
      break;
    case 'edge':
      withNth(world, command.edge, (edge) => live(world, edge, command.steps));
      break;
    case 'refuse':
      withNth(world, command.edge, (edge) => refuse(world, edge, command.job));
      break;
    case 'configure':
      withNth(world, command.edge, (edge) => configure(world, edge, command.what));
      break;
    case 'link':
      withNth(world, command.edge, (edge) => link(world, edge, command.connected));
      break;
    case 'wipe':
      withNth(world, command.edge, (edge) => wipe(world.agents.get(edge.name)!));
      break;
    case 'cancel':
      withJob(world, command.job, (id) => {
        world.cell = withIntent(world.cell, id, { cancelled: true });
      });
      break;
    case 'cancel-ranges':
      withJob(world, command.job, (id) => {
        const { intent } = world.cell.jobs.get(id)!;
        const { chunks } = intent.chunking;
        const asked = rangeOf(
          Math.min(command.first, chunks),
          Math.min(command.first + command.chunks, chunks),
        );
        const cancelledRanges = union(intent.cancelledRanges ?? emptyRanges, asked);
        world.cell = withIntent(world.cell, id, { cancelledRanges });
      });
      break;
    case 'retry':
      withJob(world, command.job, (id) => {
        const { intent, slice } = world.cell.jobs.get(id)!;
        if (isEmpty(slice.dead)) return;
        world.cell = withIntent(world.cell, id, { retryEpoch: intent.retryEpoch + 1 });
      });
      break;
    case 'wait':
      world.nowMs += command.seconds * 1000;
      break;
    case 'tick':
      world.cell = { ...world.cell, tickAtMs: world.nowMs };
      break;
    case 'pass':
      runPass(world);
  }
}

const queues = ['default', 'strict', 'small'];

function submit(world: World, command: Command & { kind: 'submit' }): void {
  const { chunks, power, extra, shape } = command;
  const gang = shape === 5 && chunks <= 12 ? Math.min(chunks, 3) : null;
  const job = makeJob(`job-${String(world.jobs++).padStart(4, '0')}`, {
    chunks,
    chunkPower: power,
    lastChunkPower: power + extra,
    queue: queues[command.queue]!,
    priority: command.priority,
    resources: shape === 1 ? { gpus: 1 } : {},
    requires: {
      labels: shape === 2 ? { site: 'site-1' } : {},
      expressions: shape === 3 ? [{ key: 'kernel', op: '>=', value: '5.10' }] : [],
      edges: [],
    },
    placement: {
      policy: shape === 6 ? 'pack' : shape === 7 ? 'fastest' : 'spread',
      maxEdges: shape === 4 ? 2 : null,
      nodes: gang,
    },
    lostAfterSeconds: 60 + command.priority * 30,
    retries: { attempts: 3, backoffSeconds: 5, maxFailedChunks: shape === 3 ? 4 : null },
    intent: { submittedAtMs: world.nowMs },
  });
  world.cell = { ...world.cell, jobs: new Map(world.cell.jobs).set(job.id, job) };
}

function addEdge(world: World, command: Command & { kind: 'add-edge' }): void {
  if (world.edges >= 20) return;
  const edge = makeEdge(`edge-${world.edges++}`, {
    power: command.power,
    resources: { gpus: command.gpus },
    labels: { site: `site-${command.site}` },
    flat: { kernel: '5.15.0', 'executors.simulate': true },
    report: makeReport({ receivedAtMs: world.nowMs, connectionAtMs: world.nowMs }),
  });
  world.agents.set(edge.name, newAgent());
  world.cell = { ...world.cell, edges: new Map(world.cell.edges).set(edge.name, edge) };
}

function withNth(world: World, at: number, act: (edge: CellEdge) => void): void {
  const edges = [...world.cell.edges.values()];
  if (edges.length > 0) act(edges[at % edges.length]!);
}

function withJob(world: World, at: number, act: (id: JobId) => void): void {
  const ids = [...world.cell.jobs.keys()];
  if (ids.length > 0) act(ids[at % ids.length]!);
}

/**
 * The edge reads its document, ends some chunks, starts others and reports, all through the wire
 * formats.
 */
export function live(world: World, edge: CellEdge, steps: number): void {
  const agent = world.agents.get(edge.name)!;
  const online = edge.report?.connected === true;
  if (online && edge.work !== null) {
    const json = JSON.stringify(encodeWork(workOf(edge.work, world.cell.jobs), edge.work.removed));
    applyWork(agent, parseWork(JSON.parse(json))!);
  }
  let left = steps;
  for (let ended = 1; ended > 0; left -= ended) {
    startChunks(agent);
    ended = finishChunks(agent, left, (_, chunk, attempt) => {
      if (!world.failing || attempt > 4) return null;
      if (chunk % 7 === 3) return 1;
      return chunk % 5 === 2 && attempt < 3 ? 'timeout' : null;
    });
  }
  if (online) send(world, edge);
}

function send(world: World, edge: CellEdge, refused: JobId | null = null): void {
  const progress = report(world.agents.get(edge.name)!);
  const parsed = parseProgressReport(JSON.parse(JSON.stringify(encodeProgressReport(progress))))!;
  const jobs = new Map(parsed.jobs);
  if (refused !== null) {
    const entry = parsed.jobs.get(refused) ?? noProgress;
    jobs.set(refused, { ...entry, refused: 'not allowed here' });
  }
  const before = edge.report!;
  world.cell = withEdge(world.cell, edge.name, {
    report: {
      ...before,
      progress: { ...parsed, jobs },
      version: before.version + 1,
      receivedAtMs: world.nowMs,
    },
  });
}

function refuse(world: World, edge: CellEdge, at: number): void {
  if (edge.report?.connected !== true) return;
  withJob(world, at, (id) => send(world, edge, id));
}

function configure(world: World, edge: CellEdge, what: number): void {
  const configs: EdgeConfig[] = [
    plainConfig,
    { ...plainConfig, cordoned: { reason: 'maintenance', sinceMs: world.nowMs } },
    { ...plainConfig, drain: { reason: 'move', deadlineAtMs: world.nowMs + 60_000 } },
    { ...plainConfig, drain: { reason: 'move', deadlineAtMs: null } },
    { ...plainConfig, removing: { force: world.nowMs % 2 === 0 } },
    { ...plainConfig, capacity: { power: 60 } },
    { ...plainConfig, capacity: { power: 300, gpus: 1 } },
  ];
  world.cell = withEdge(world.cell, edge.name, { config: configs[what]! });
}

function link(world: World, edge: CellEdge, connected: boolean): void {
  if (edge.report === null || edge.report.connected === connected) return;
  const { connectionVersion } = edge.report;
  world.cell = withEdge(world.cell, edge.name, {
    report: {
      ...edge.report,
      connected,
      connectionVersion: connectionVersion + 1,
      connectionAtMs: world.nowMs,
    },
  });
}

/** One pass, committed and checked; false when it had nothing to decide. */
export function runPass(world: World): boolean {
  const before = world.cell;
  const plan = reconcile(before, world.nowMs);
  world.cell = applyPlan(before, plan);
  checkStep(before, plan, world.cell, world.nowMs);
  const [violation] = violationsOf(before, plan);
  if (violation !== undefined) throw new Error(`refused: ${violation.sentence}`);
  checkChunks(world.cell);
  checkCapacity(world.cell);
  checkDocuments(world.cell);
  return plan.meta !== null;
}

/**
 * Faults stop, somebody with room for everything joins, and time goes on until everything has
 * ended.
 */
export function settle(world: World): void {
  world.failing = false;
  world.cell = { ...world.cell, queues: new Map() };
  for (const edge of world.cell.edges.values()) {
    if (edge.config.removing === null)
      world.cell = withEdge(world.cell, edge.name, { config: plainConfig });
  }
  for (let i = 0; i < 3; i++) {
    const edge = makeEdge(`spare-${i}`, {
      power: 5_000,
      resources: { gpus: 8 },
      labels: { site: 'site-1' },
      flat: { kernel: '6.1' },
      report: makeReport({ receivedAtMs: world.nowMs, connectionAtMs: world.nowMs }),
    });
    world.agents.set(edge.name, newAgent());
    world.cell = { ...world.cell, edges: new Map(world.cell.edges).set(edge.name, edge) };
  }
  for (let round = 0; round < 3_000 && world.cell.jobs.size > 0; round++) {
    for (const edge of world.cell.edges.values()) {
      link(world, edge, true);
      live(world, world.cell.edges.get(edge.name)!, 1_000);
    }
    world.cell = { ...world.cell, tickAtMs: world.nowMs };
    let passes = 0;
    while (runPass(world)) {
      if (++passes > 200) throw new Error('a pass never comes to rest');
    }
    world.nowMs += 2_000;
  }
}
