import { formatRanges, rangeOf } from '../../core/model/ranges.ts';
import type { Chunk, Edge, Execution, Job, JobEvent } from '../../dashboard/api/resources.ts';

/**
 * A made-up fleet for driving the dashboard: generated from a seed, moved only by `advance`, so
 * that a test decides when something happens. It places without any policy; it is scenery, not a
 * scheduler.
 */
export type World = {
  readonly edges: Map<string, MutableEdge>;
  readonly jobs: Map<string, MutableJob>;
  nowMs: number;
};

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
export type MutableEdge = Mutable<Edge>;
export type MutableJob = Mutable<Omit<Job, 'status'>> & {
  status: Mutable<Omit<Job['status'], 'chunks' | 'executions'>> & {
    chunks: Mutable<Job['status']['chunks']>;
    executions: Mutable<Execution>[];
  };
  events: JobEvent[];
  failed: Chunk[];
};

export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

export function makeWorld(edgeCount: number, jobCount: number, nowMs: number, seed = 7): World {
  const world: World = { edges: new Map(), jobs: new Map(), nowMs };
  const next = random(seed);
  for (let i = 1; i <= edgeCount; i++) addEdge(world, i, next);
  for (let i = 0; i < jobCount; i++) addPastJob(world, i, jobCount, next);
  return world;
}

const pools = ['default', 'north', 'south'];
const sites = ['harbour', 'hill', 'mill', 'quarry'];

function addEdge(world: World, number: number, next: () => number): void {
  const name = `edge-${number}`;
  const fate = next();
  const state = fate < 0.02 ? 'lost' : fate < 0.05 ? 'disconnected' : 'connected';
  const cordoned = state === 'connected' && next() < 0.03;
  const power = 200 + 50 * Math.floor(next() * 5);
  const used = state === 'lost' || cordoned ? 0 : Math.floor(power * next() ** 0.6);
  const silentMs = state === 'connected' ? next() * 20_000 : 60_000 + next() * 900_000;
  world.edges.set(name, {
    name,
    pool: pools[Math.floor(next() * pools.length)]!,
    cell: 'default.0',
    state,
    lastSeenAt: iso(world.nowMs - silentMs),
    connectedAt: iso(world.nowMs - 7_200_000),
    capacity: { power, cores: 4, memoryMb: 8192 },
    free: { power: power - used, cores: 2, memoryMb: 5120 },
    labels: { site: sites[number % sites.length]!, rack: `r${number % 12}` },
    facts: {
      arch: 'arm64',
      os: { name: 'debian', version: '12' },
      kernel: '6.1.0',
      executors: { process: 'ok', container: 'podman 4.3' },
      software: { spack: '0.21' },
      agent: '0.1.0',
    },
    cordoned,
    draining: false,
    removing: false,
    busy: used > 0,
    reason: cordoned ? 'fan replaced on Tuesday' : null,
    leases: [],
    totals: { chunksDone: Math.floor(next() * 9_000), powerServed: Math.floor(next() * 900_000) },
  });
}

const names = ['render', 'encode', 'index', 'simulate', 'train', 'survey', 'nightly-report'];
const reasons = ['exit 1: out of disk', 'timeout', 'signal SIGKILL'];

function addPastJob(world: World, index: number, total: number, next: () => number): void {
  const ageMs = ((index + 1) / total) * 3_600_000 * (0.4 + 0.6 * next());
  const fate = next();
  const chunks = 4 + Math.floor(next() * 200);
  const state = ageMs < 300_000 && fate < 0.7 ? 'running' : fate < 0.06 ? 'failed' : 'done';
  const job = makeJob(world, {
    id: jobId(world.nowMs - ageMs, index),
    createdMs: world.nowMs - ageMs,
    spec: {
      name: `${names[index % names.length]}-${index}`,
      pool: pools[Math.floor(next() * pools.length)]!,
      queue: next() < 0.7 ? 'default' : 'bulk',
      power: 300 + Math.floor(next() * 200),
      chunks,
      labels: { team: index % 3 === 0 ? 'a' : 'b' },
    },
  });
  const done = state === 'done' ? chunks : Math.floor(chunks * next() * 0.9);
  const dead = state === 'failed' ? Math.max(1, Math.floor((chunks - done) / 2)) : 0;
  const running = state === 'running' ? Math.min(chunks - done, 8) : 0;
  const { status } = job;
  status.state = state;
  status.startedAt = iso(world.nowMs - ageMs + 400);
  status.endedAt =
    state === 'running' ? null : iso(world.nowMs - ageMs * (1 - 0.2 * next()) + 20_000);
  if (Date.parse(status.endedAt ?? '') > world.nowMs) status.endedAt = iso(world.nowMs);
  status.chunks = {
    ...status.chunks,
    done,
    dead,
    running,
    cancelled: state === 'failed' ? chunks - done - dead : 0,
    pending: state === 'running' ? chunks - done - running : 0,
  };
  status.percent = Math.floor((100 * done) / chunks);
  if (dead > 0) status.reason = reasons[index % reasons.length]!;
  for (let chunk = done; chunk < done + dead; chunk++) {
    job.failed.push(failedChunk(chunk, `edge-${1 + (chunk % 5)}`, status.reason, status.endedAt));
  }
  world.jobs.set(job.id, job);
}

export function failedChunk(
  chunk: number,
  edge: string,
  reason: string | null,
  endedAt: string | null,
): Chunk {
  const exitCode = reason?.startsWith('exit') ? 1 : null;
  return { chunk, state: 'dead', edge, attempts: 3, exitCode, reason, startedAt: null, endedAt };
}

export type JobMaker = {
  readonly id: string;
  readonly createdMs: number;
  readonly spec: Readonly<Record<string, unknown>>;
};

/** What the server fills in. */
const specDefaults: Job['spec'] = {
  name: null,
  pool: 'default',
  queue: 'default',
  priority: 50,
  power: null,
  chunks: 4,
  chunkPower: null,
  resources: {},
  run: { simulate: { seconds: 10 } },
  requires: { labels: {}, expressions: [], edges: [] },
  placement: { policy: 'spread', maxEdges: null, nodes: null },
  retries: { attempts: 3, backoffSeconds: 5, maxFailedChunks: null },
  lostAfterSeconds: 120,
  offlineSeconds: null,
  deadlineSeconds: null,
  keepOutput: 'failed',
  dependsOn: [],
  labels: {},
  kind: 'batch',
};

export function makeJob(world: World, maker: JobMaker): MutableJob {
  const spec = { ...specDefaults, ...maker.spec } as Job['spec'];
  const { chunks } = spec;
  const job: MutableJob = {
    id: maker.id,
    name: spec.name,
    spec,
    generation: 1,
    createdAt: iso(maker.createdMs),
    createdBy: 'admin',
    status: {
      state: 'pending',
      percent: 0,
      chunks: {
        total: chunks,
        waiting: 0,
        pending: chunks,
        scheduled: 0,
        running: 0,
        done: 0,
        dead: 0,
        cancelled: 0,
      },
      startedAt: null,
      endedAt: null,
      reason: null,
      executions: [],
      waiting: [],
      receipt: { shadowUpdates: 6, messages: 9, tableWrites: 21, lambdaMs: 180, usd: 0.0000213 },
    },
    events: [eventOf(maker.createdMs, 'job-submitted')],
    failed: [],
  };
  world.jobs.set(job.id, job);
  return job;
}

export function jobId(ms: number, number: number): string {
  return Math.floor(ms).toString(36).padStart(9, '0') + number.toString(36).padStart(9, '0');
}

export function eventOf(atMs: number, kind: string): JobEvent {
  return { at: iso(atMs), kind, by: 'admin', detail: '' };
}

export function iso(ms: number): string {
  return new Date(ms).toISOString();
}

/** Gives the whole of a pending job to some connected edges, half and half. */
export function placeJob(world: World, job: MutableJob, edgeNames: readonly string[]): void {
  const { total } = job.status.chunks;
  const each = Math.ceil(total / edgeNames.length);
  job.status.state = 'running';
  job.status.startedAt = iso(world.nowMs);
  job.events.push(eventOf(world.nowMs, 'job-started'));
  job.status.executions = edgeNames.map((edge, index) => ({
    edge,
    chunks: formatRanges(rangeOf(index * each, Math.min(total, (index + 1) * each))),
    power: 10 * Math.max(0, Math.min(each, total - index * each)),
    percent: 0,
    done: '',
    running: '',
    dead: '',
    startedAt: iso(world.nowMs),
    endedAt: null,
  }));
  setProgress(world, job, 0);
}

/** Moves a placed job to `percent` of each of its edges' parts. */
export function setProgress(world: World, job: MutableJob, percent: number): void {
  const { status } = job;
  let done = 0;
  let running = 0;
  for (const execution of status.executions) {
    const [first, last] = execution.chunks.split('-').map(Number) as [number, number?];
    const end = (last ?? first) + 1;
    const doneTo = first + Math.floor(((end - first) * percent) / 100);
    const runsTo = Math.min(end, doneTo + 2);
    execution.done = formatRanges(rangeOf(first, doneTo));
    execution.running = formatRanges(rangeOf(doneTo, runsTo));
    execution.percent = percent;
    if (percent === 100) execution.endedAt = iso(world.nowMs);
    done += doneTo - first;
    running += runsTo - doneTo;
  }
  const left = status.chunks.total - done - running;
  status.chunks = { ...status.chunks, done, running, pending: 0, scheduled: left };
  status.percent = percent;
  if (percent < 100) return;
  status.state = 'done';
  status.endedAt = iso(world.nowMs);
  job.events.push(eventOf(world.nowMs, 'job-done'));
}

/** A second passes: every connected edge's load moves a little, every running job gets on. */
export function advance(world: World, next: () => number): void {
  world.nowMs += 1_000;
  for (const edge of world.edges.values()) {
    if (edge.state !== 'connected' || edge.cordoned) continue;
    const power = edge.capacity.power ?? 0;
    const free = Math.round((edge.free.power ?? 0) + (next() - 0.5) * 0.3 * power);
    edge.free = { ...edge.free, power: Math.min(power, Math.max(0, free)) };
    edge.lastSeenAt = iso(world.nowMs);
  }
  for (const job of world.jobs.values()) {
    const { chunks, executions, state } = job.status;
    if (state !== 'running' || executions.length > 0 || chunks.running === 0) continue;
    chunks.done += 1;
    if (chunks.pending > 0) chunks.pending -= 1;
    else chunks.running -= 1;
    job.status.percent = Math.floor((100 * chunks.done) / chunks.total);
    if (chunks.done === chunks.total) {
      job.status.state = 'done';
      job.status.endedAt = iso(world.nowMs);
    }
  }
}
