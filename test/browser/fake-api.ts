import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { historyOf, listAnswer, statsOf } from './fake-answers.ts';
import { type FakeTokens, makeTokens } from './fake-tokens.ts';
import {
  eventOf,
  iso,
  jobId,
  type MutableEdge,
  type MutableJob,
  makeJob,
  type World,
} from './fake-world.ts';

/**
 * The public API over a made-up world: the calls the dashboard makes, with the shapes and status
 * codes of the contract. Trouble can be switched on: `offline` drops connections, a number answers
 * with that status.
 */
export type FakeApi = {
  readonly url: string;
  readonly token: string;
  readonly world: World;
  readonly tokens: FakeTokens;
  /** Every request as `METHOD path`, in order. */
  readonly requests: string[];
  trouble: 'none' | 'offline' | number;
  /** Called with each job that was submitted. */
  onSubmit: (job: MutableJob) => void;
  /** Origins that browsers may call from; empty allows all. */
  origin: string;
  close(): Promise<void>;
};

const token = 'test-token';
const allowedHeaders = 'authorization,content-type,idempotency-key,if-none-match';

export async function startFakeApi(world: World): Promise<FakeApi> {
  const api: FakeApi = {
    url: '',
    token,
    world,
    tokens: makeTokens(),
    requests: [],
    trouble: 'none',
    onSubmit: () => {},
    origin: '',
    close: async () => {},
  };
  const server = createServer((request, response) => {
    void handle(api, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(api, {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}

type Answer = { readonly status: number; readonly body: unknown };

async function handle(api: FakeApi, request: IncomingMessage, response: ServerResponse) {
  if (api.trouble === 'offline') {
    request.socket.destroy();
    return;
  }
  response.setHeader('access-control-allow-origin', api.origin || '*');
  response.setHeader('access-control-allow-headers', allowedHeaders);
  response.setHeader('access-control-allow-methods', 'GET,POST,PUT,PATCH,DELETE');
  response.setHeader('access-control-max-age', '600');
  if (request.method === 'OPTIONS') {
    response.writeHead(204).end();
    return;
  }
  api.requests.push(`${request.method} ${request.url}`);
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const body: unknown = text === '' ? null : JSON.parse(text);
  const answer = answerOf(api, request, body as Record<string, unknown> | null);
  const plain = typeof answer.body === 'string';
  const written = plain ? String(answer.body) : JSON.stringify(answer.body);
  const etag = `"1-${createHash('sha256').update(written).digest('base64url').slice(0, 16)}"`;
  response.setHeader('etag', etag);
  response.setHeader('cache-control', 'no-store');
  response.setHeader('access-control-expose-headers', 'etag');
  if (answer.status === 200 && request.headers['if-none-match'] === etag) {
    response.writeHead(304).end();
    return;
  }
  if (answer.status === 204) {
    response.writeHead(204).end();
    return;
  }
  response.writeHead(answer.status, { 'content-type': plain ? 'text/plain' : 'application/json' });
  response.end(written);
}

function problem(status: number, code: string, detail: string): Answer {
  return { status, body: { type: 'about:blank', title: code, status, code, detail } };
}

const notFound = problem(404, 'not-found', 'There is nothing here by that name.');

function answerOf(
  api: FakeApi,
  request: IncomingMessage,
  body: Record<string, unknown> | null,
): Answer {
  if (typeof api.trouble === 'number') return problem(api.trouble, 'trouble', 'Switched on.');
  if (request.headers.authorization !== `Bearer ${api.token}`) {
    return problem(401, 'unauthorized', 'The token is not known.');
  }
  const url = new URL(request.url ?? '/', 'http://fake');
  const parts = url.pathname.split('/').filter((part) => part !== '');
  const [, noun, name, verb, ...rest] = parts;
  if (noun === 'stats') {
    return { status: 200, body: name === 'history' ? historyOf(api.world) : statsOf(api.world) };
  }
  if (noun === 'tokens') return api.tokens.answer(request.method, name, body) ?? notFound;
  if (noun === 'plan') return { status: 200, body: planOf(api.world, body ?? {}) };
  if (noun === 'jobs') {
    if (name === undefined) {
      return request.method === 'POST'
        ? submit(api, body ?? {})
        : listAnswer(api.world, 'jobs', url.searchParams);
    }
    const job = api.world.jobs.get(name);
    return job === undefined ? notFound : jobAnswer(api, job, request.method, verb, rest);
  }
  if (noun === 'edges') {
    if (name === undefined) return listAnswer(api.world, 'edges', url.searchParams);
    const edge = api.world.edges.get(name);
    return edge === undefined ? notFound : edgeAnswer(api, edge, request.method, verb, body ?? {});
  }
  return notFound;
}

function submit(api: FakeApi, spec: Record<string, unknown>): Answer {
  if (spec.power === 0) {
    return {
      status: 400,
      body: {
        status: 400,
        code: 'invalid-request',
        detail: 'The job is not valid.',
        errors: [{ pointer: '/power', message: 'must be a positive integer' }],
      },
    };
  }
  const id = jobId(api.world.nowMs, api.world.jobs.size + 1);
  const job = makeJob(api.world, { id, createdMs: api.world.nowMs, spec });
  api.onSubmit(job);
  return { status: 202, body: shown(job) };
}

function planOf(world: World, spec: Record<string, unknown>) {
  const chunks = Number(spec.chunks ?? 4);
  const edges = [...world.edges.values()].filter((edge) => edge.state === 'connected');
  const count = Math.min(chunks, edges.length, 2);
  return {
    feasible: true,
    chunks,
    chunkPower: 100,
    lastChunkPower: 100,
    placed: count === 0 ? 0 : chunks,
    placements: edges.slice(0, count).map((edge, index) => ({
      edge: edge.name,
      cell: edge.cell,
      chunks: Math.floor(chunks / count) + (index < chunks % count ? 1 : 0),
      power: 100,
    })),
    waiting: count === 0 ? [{ reason: 'no-edges', chunks, edges: 0, detail: '' }] : [],
  };
}

/** A job as the API shows it, without what only the world keeps. */
export function shown(job: MutableJob): unknown {
  const { events: _events, failed: _failed, ...rest } = job;
  return rest;
}

function jobAnswer(
  api: FakeApi,
  job: MutableJob,
  method: string | undefined,
  verb: string | undefined,
  rest: readonly string[],
): Answer {
  const { status } = job;
  const { chunks } = status;
  if (verb === 'events') return { status: 200, body: { items: job.events, nextCursor: null } };
  if (verb === 'chunks' && rest[1] === 'output') {
    return { status: 200, body: `chunk ${rest[0]}: <b>no space left on device</b>\n` };
  }
  if (verb === 'chunks') return { status: 200, body: { items: job.failed, nextCursor: null } };
  if (verb === 'executions') {
    return { status: 200, body: { items: status.executions, nextCursor: null } };
  }
  if (verb === 'explain') {
    const reason = { reason: 'no-free-power', chunks: chunks.pending, edges: 3, detail: '' };
    const reasons = chunks.pending > 0 ? [reason] : [];
    const explanation = { job: job.id, pending: chunks.pending, reasons };
    return { status: 200, body: explanation };
  }
  if (verb === 'retry') {
    Object.assign(chunks, { pending: chunks.dead, dead: 0 });
    Object.assign(status, { state: 'running', endedAt: null, reason: null });
    job.failed = [];
    return { status: 202, body: shown(job) };
  }
  if (method === 'DELETE') {
    const open = chunks.total - chunks.done - chunks.dead;
    Object.assign(chunks, { pending: 0, scheduled: 0, running: 0, cancelled: open });
    Object.assign(status, { state: 'cancelled', endedAt: iso(api.world.nowMs) });
    job.events.push(eventOf(api.world.nowMs, 'job-cancelled'));
    return { status: 202, body: shown(job) };
  }
  return { status: 200, body: shown(job) };
}

function edgeAnswer(
  api: FakeApi,
  edge: MutableEdge,
  method: string | undefined,
  verb: string | undefined,
  body: Record<string, unknown>,
): Answer {
  if (verb === 'jobs') {
    const items = [...api.world.jobs.values()].flatMap((job) =>
      job.status.executions
        .filter((execution) => execution.edge === edge.name)
        .map((execution) => ({ job: job.id, name: job.name, state: job.status.state, execution })),
    );
    return { status: 200, body: { items, nextCursor: null } };
  }
  if (verb === 'drain') {
    Object.assign(edge, { cordoned: true, draining: true, reason: body.reason });
    return { status: 202, body: edge };
  }
  if (method === 'PATCH') {
    edge.cordoned = body.cordoned === true;
    if (!edge.cordoned) edge.draining = false;
    edge.reason = typeof body.reason === 'string' ? body.reason : null;
  }
  return { status: 200, body: edge };
}
