import type { StatsAnswer, StatsHistoryAnswer } from '../../core/contract/fleet-body.ts';
import type { MutableJob, World } from './fake-world.ts';

/** Lists and totals over a made-up world, paged and filtered as the contract says. */
type ListAnswer = { readonly status: number; readonly body: unknown };

const limitDefault = 50;
const limitMax = 500;

export function listAnswer(
  world: World,
  noun: 'jobs' | 'edges',
  query: URLSearchParams,
): ListAnswer {
  const limit = Math.min(limitMax, Number(query.get('limit') ?? limitDefault));
  const from = Number(query.get('cursor') ?? 0);
  const all: readonly unknown[] =
    noun === 'jobs' ? jobsOf(world, query) : [...world.edges.values()];
  const next = from + limit < all.length ? String(from + limit) : null;
  return { status: 200, body: { items: all.slice(from, from + limit), nextCursor: next } };
}

function jobsOf(world: World, query: URLSearchParams): unknown[] {
  const wanted = (key: string, value: string | undefined) =>
    !query.has(key) || query.get(key) === value;
  const [labelKey, labelValue] = (query.get('label') ?? '').split('=');
  return [...world.jobs.values()]
    .filter(({ spec, status }) => {
      const labelled = !query.has('label') || spec.labels[labelKey ?? ''] === labelValue;
      const on = !query.has('edge') || status.executions.some((e) => e.edge === query.get('edge'));
      return (
        labelled &&
        on &&
        wanted('state', status.state) &&
        wanted('pool', spec.pool) &&
        wanted('queue', spec.queue)
      );
    })
    .sort((a, b) => (a.id < b.id ? 1 : -1))
    .map(withoutHistory);
}

function withoutHistory(job: MutableJob): unknown {
  const { events: _events, failed: _failed, ...rest } = job;
  return rest;
}

export function statsOf(world: World): StatsAnswer {
  const none = { pending: 0, scheduled: 0, running: 0, cancelled: 0, total: 0 };
  const jobs = { ...none, waiting: 0, done: 0, failed: 0 };
  const chunks = { ...none, done: 0, dead: 0 };
  for (const { status } of world.jobs.values()) {
    jobs.total += 1;
    jobs[status.state] += 1;
    for (const state of Object.keys(chunks) as (keyof typeof chunks)[]) {
      chunks[state] += status.chunks[state];
    }
  }
  const all = [...world.edges.values()];
  const inState = (state: string) => all.filter((edge) => edge.state === state).length;
  const sum = (of: 'capacity' | 'free') => all.reduce((n, edge) => n + (edge[of].power ?? 0), 0);
  const busy = all.filter((edge) => edge.busy).length;
  return {
    jobs,
    chunks,
    edges: {
      total: all.length,
      connected: inState('connected'),
      disconnected: inState('disconnected'),
      lost: inState('lost'),
      busy,
      free: all.length - busy,
      cordoned: all.filter((edge) => edge.cordoned).length,
    },
    power: {
      total: sum('capacity'),
      free: sum('free'),
      reserved: sum('capacity') - sum('free'),
      served: 0,
    },
    rates: { jobsPerMinute: 42, chunksPer10Seconds: 310 },
    cells: [],
  };
}

const minuteMs = 60_000;

/** An hour with a slow beginning and one busy minute. */
export function historyOf(world: World): StatsHistoryAnswer {
  const last = Math.floor(world.nowMs / minuteMs) * minuteMs;
  const minutes = Array.from({ length: 60 }, (_, at) => ({
    at: new Date(last - (59 - at) * minuteMs).toISOString(),
    jobs: Math.floor(at / 10),
    chunks: at === 40 ? 500 : at * 4,
  }));
  return { minutes };
}
