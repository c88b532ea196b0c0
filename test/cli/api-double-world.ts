import type { Chunk, Edge, Job, JobState } from '../../cli/client/resources.ts';

/** Of a job the double has what the sessions show of it. */
export type ShownJob = Omit<Job, 'spec' | 'status'> & {
  readonly spec: Partial<Job['spec']>;
  readonly status: Omit<Job['status'], 'waiting' | 'receipt'> &
    Partial<Pick<Job['status'], 'waiting' | 'receipt'>>;
};

/**
 * The things of the double: three edges, three jobs that ended or wait, and whatever a session
 * adds.
 */
export type World = {
  readonly jobs: Map<string, ShownJob>;
  readonly edges: Map<string, Edge>;
  readonly chunks: Map<string, Chunk[]>;
  readonly queues: Map<string, Record<string, unknown>>;
  readonly tokens: Record<string, unknown>[];
  /** How many steps each job still takes. */
  readonly steps: Map<string, JobState[]>;
  nextNumber: number;
};

const startedAt = '2026-01-01T11:58:00.000Z';
const endedAt = '2026-01-01T11:58:07.400Z';

export function makeWorld(): World {
  const world: World = {
    jobs: new Map(),
    edges: new Map(),
    chunks: new Map(),
    queues: new Map([['default', { name: 'default', weight: 1, strict: false, quota: null }]]),
    tokens: [
      {
        id: 't1',
        name: 'admin',
        scopes: ['fleet:admin'],
        createdAt: '2026-01-01T00:00:00.000Z',
        expiresAt: null,
      },
    ],
    steps: new Map(),
    nextNumber: 1,
  };
  for (const [name, state] of [
    ['edge-10', 'connected'],
    ['edge-11', 'connected'],
    ['edge-12', 'lost'],
  ] as const) {
    world.edges.set(name, makeEdge(name, state));
  }
  addJob(world, { name: 'render', power: 403 }, 'done');
  addJob(world, { name: 'broken', power: 200, chunks: 2 }, 'failed');
  addJob(world, { name: 'stuck', power: 100, requires: { labels: { site: 'moon' } } }, 'pending');
  return world;
}

function makeEdge(name: string, state: Edge['state']): Edge {
  return {
    name,
    pool: 'default',
    cell: 'default.0',
    state,
    lastSeenAt: state === 'lost' ? '2026-01-01T11:40:00.000Z' : '2026-01-01T11:59:58.000Z',
    connectedAt: '2026-01-01T11:00:00.000Z',
    capacity: { power: 250 },
    free: { power: name === 'edge-10' ? 150 : 250 },
    labels: { site: 'north' },
    facts: { arch: 'x86_64', os: { name: 'debian', version: '12' } },
    cordoned: false,
    draining: false,
    removing: false,
    busy: name === 'edge-10',
    reason: null,
    leases: name === 'edge-10' ? [{ job: jobId(2), chunks: '0', slots: 1, percent: 0 }] : [],
    totals: { chunksDone: 4, powerServed: 403 },
  };
}

/** Sixteen characters, like the real ones, and sorted by their number. */
export function jobId(number: number): string {
  return `0mjv2p8c0000${String(number).padStart(4, '0')}`;
}

export function addJob(world: World, spec: Record<string, unknown>, state: JobState): ShownJob {
  const id = jobId(world.nextNumber++);
  const power = (spec.power as number | undefined) ?? 1;
  const total = (spec.chunks as number | undefined) ?? 4;
  const job: ShownJob = {
    id,
    name: (spec.name as string | undefined) ?? null,
    spec: { pool: 'default', queue: 'default', priority: 50, power, ...spec, chunks: total },
    generation: 1,
    createdAt: '2026-01-01T11:58:00.000Z',
    createdBy: 'admin',
    status: statusOf(state, total, power),
  };
  world.jobs.set(id, job);
  if (state === 'failed') world.chunks.set(id, failedChunks());
  return job;
}

export function statusOf(state: JobState, total: number, power: number): ShownJob['status'] {
  const none = { total, waiting: 0, pending: 0, scheduled: 0, running: 0, done: 0, dead: 0 };
  const counts = { ...none, cancelled: 0 };
  const half = Math.floor(total / 2);
  const executions = [
    { edge: 'edge-10', chunks: `0-${half - 1}`, percent: 100, done: `0-${half - 1}` },
    { edge: 'edge-11', chunks: `${half}-${total - 1}`, percent: 50, done: '' },
  ].map((one, i) => ({
    ...one,
    power: i === 0 ? half * Math.floor(power / total) : power - half * Math.floor(power / total),
    running: '',
    dead: '',
    startedAt,
    endedAt: null,
  }));
  const base = { percent: 0, startedAt: null, endedAt: null, reason: null, executions: [] };
  switch (state) {
    case 'done':
      return {
        ...base,
        state,
        percent: 100,
        startedAt,
        endedAt,
        chunks: { ...counts, done: total },
        executions: executions.map((one) => ({ ...one, percent: 100, done: one.chunks, endedAt })),
      };
    case 'failed':
      return {
        ...base,
        state,
        percent: 50,
        startedAt,
        endedAt,
        reason: 'max-failed-chunks',
        chunks: { ...counts, done: half, dead: total - half },
      };
    case 'running':
      return {
        ...base,
        state,
        percent: 50,
        startedAt,
        chunks: { ...counts, running: total - half, done: half },
        executions,
      };
    case 'cancelled':
      return { ...base, state, endedAt, chunks: { ...counts, cancelled: total } };
    default:
      return {
        ...base,
        state,
        chunks: { ...counts, pending: total },
        waiting: [
          {
            reason: 'labels-do-not-match',
            chunks: total,
            edges: 3,
            detail: 'No edge has the label site=moon.',
          },
        ],
      };
  }
}

function failedChunks(): Chunk[] {
  const chunk = { attempts: 1, startedAt, endedAt, reason: null };
  return [
    { ...chunk, chunk: 0, state: 'done', edge: 'edge-10', exitCode: 0 },
    { ...chunk, chunk: 1, state: 'dead', edge: 'edge-11', attempts: 3, exitCode: 42 },
  ];
}
