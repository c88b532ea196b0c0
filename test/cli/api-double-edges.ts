import type { Edge } from '../../cli/client/resources.ts';
import { page, problem, type Reply, type Request } from './api-double-reply.ts';
import type { World } from './api-double-world.ts';

/** Edges, pools, queues, tokens and counts of the double. */
export function answerEdges(world: World, request: Request): Reply {
  const [noun, name] = request.segments;
  switch (noun) {
    case 'edges':
      return name === undefined ? allEdges(world, request) : oneEdge(world, request, name);
    case 'pools':
      return { status: 200, body: { name, policy: 'spread', ...bodyOfPut(request) } };
    case 'queues':
      return queue(world, request, name ?? '');
    case 'tokens':
      return tokens(world, request, name);
    case 'stats':
      return { status: 200, body: stats(world) };
    default:
      return problem(404, 'not-found', 'There is nothing at this address.');
  }
}

function bodyOfPut({ method, body }: Request): Record<string, unknown> {
  return method === 'PUT' ? body : {};
}

function allEdges(world: World, { method, query, body }: Request): Reply {
  if (method === 'POST') {
    if (world.edges.has(String(body.name))) {
      return problem(409, 'edge-exists', `An edge called ${body.name} is alive.`);
    }
    return {
      status: 201,
      body: { edge: { name: body.name }, certificate: null, secret: 's3cret' },
    };
  }
  const state = query.get('state');
  const edges = [...world.edges.values()].filter((edge) => state === null || edge.state === state);
  return page(edges, query);
}

function oneEdge(world: World, { method, segments, body }: Request, name: string): Reply {
  const edge = world.edges.get(name);
  const [, , what] = segments;
  if (edge === undefined) return problem(404, 'not-found', `There is no edge ${name}.`);
  const change = (fields: Partial<Edge>, status = 200): Reply => {
    const changed = { ...edge, ...fields };
    world.edges.set(name, changed);
    return { status, body: changed };
  };
  if (what === 'drain') {
    return change({ draining: true, reason: String(body.reason), leases: [] }, 202);
  }
  if (what === 'work') return { status: 200, body: { e: 3, w: {} } };
  if (what === 'report') return { status: 202, body: { accepted: true } };
  if (what === 'jobs') return page([], new URLSearchParams());
  if (method === 'PATCH') return change(body);
  if (method === 'DELETE') return change({ removing: true }, 202);
  return { status: 200, body: edge, headers: { etag: '"7"' } };
}

function queue(world: World, request: Request, name: string): Reply {
  const before = world.queues.get(name);
  if (request.method === 'PUT') world.queues.set(name, { name, ...request.body });
  else if (before === undefined) return problem(404, 'not-found', `There is no queue ${name}.`);
  return { status: 200, body: world.queues.get(name) };
}

function tokens(world: World, { method, body, query }: Request, id: string | undefined): Reply {
  if (method === 'DELETE') {
    const known = world.tokens.some((token) => token.id === id);
    return known ? { status: 204 } : problem(404, 'not-found', 'There is no such token.');
  }
  if (method === 'GET') return page(world.tokens, query);
  const token = { id: 't2', name: body.name, scopes: body.scopes, expiresAt: null };
  world.tokens.push(token);
  return { status: 201, body: { ...token, secret: 'ew_shown_once' } };
}

function stats(world: World): unknown {
  const jobs: Record<string, number> = { pending: 0, running: 0, done: 0, failed: 0, cancelled: 0 };
  for (const job of world.jobs.values()) {
    jobs[job.status.state] = (jobs[job.status.state] ?? 0) + 1;
  }
  return {
    jobs: { ...jobs, total: world.jobs.size },
    chunks: { pending: 4, running: 0, done: 5, dead: 1, total: 10 },
    edges: { connected: 2, disconnected: 0, lost: 1, busy: 1, free: 1, cordoned: 0 },
    power: { total: 500, free: 400, reserved: 100, served: 503 },
    rates: { jobsPerMinute: 2, chunksPer10Seconds: 1 },
    cells: [],
  };
}
