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
      const labelled = !query.has('label') || spec.labels?.[labelKey ?? ''] === labelValue;
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

export function statsOf(world: World) {
  const jobs: Record<string, number> = { total: world.jobs.size };
  const chunks: Record<string, number> = {};
  for (const { status } of world.jobs.values()) {
    jobs[status.state] = (jobs[status.state] ?? 0) + 1;
    for (const [state, count] of Object.entries(status.chunks)) {
      chunks[state] = (chunks[state] ?? 0) + count;
    }
  }
  const edges: Record<string, number> = { connected: 0, disconnected: 0, lost: 0, cordoned: 0 };
  const power = { total: 0, free: 0, reserved: 0, served: 0 };
  for (const edge of world.edges.values()) {
    edges[edge.state] = (edges[edge.state] ?? 0) + 1;
    power.total += edge.capacity.power;
    power.free += edge.free.power;
  }
  power.reserved = power.total - power.free;
  return { jobs, chunks, edges, power, rates: { jobsPerMinute: 42, chunksPer10Seconds: 310 } };
}
