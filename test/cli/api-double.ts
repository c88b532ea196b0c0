import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerEdges } from './api-double-edges.ts';
import { answerJobs } from './api-double-jobs.ts';
import { problem, type Reply, type Request } from './api-double-reply.ts';
import { makeWorld, type World } from './api-double-world.ts';

/**
 * An API over a small world that moves one step each time a job is looked at: it makes the client's
 * formats and every kind of refusal reproducible, a refusal being asked for by a name that says it.
 * It decides nothing; the real API has its own tests.
 */
export type ApiDouble = {
  readonly url: string;
  readonly world: World;
  readonly seen: readonly SeenRequest[];
  close(): Promise<void>;
};

export type SeenRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
};

export async function startApiDouble(): Promise<ApiDouble> {
  const world = makeWorld();
  const seen: SeenRequest[] = [];
  const server = createServer((request, response) => {
    void readBody(request).then((text) => {
      const body = parseBody(text);
      const path = request.url ?? '/';
      seen.push({ method: request.method ?? '', path, headers: request.headers, body });
      write(response, decide(world, request, body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    world,
    seen,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of request) text += String(part);
  return text;
}

function parseBody(text: string): unknown {
  try {
    return text === '' ? {} : JSON.parse(text);
  } catch {
    return text;
  }
}

function write(response: ServerResponse, reply: Reply): void {
  const type = reply.status >= 400 ? 'application/problem+json' : 'application/json';
  response.writeHead(reply.status, {
    'content-type': reply.text === undefined ? type : 'text/plain',
    ...reply.headers,
  });
  response.end(reply.text ?? (reply.body === undefined ? '' : JSON.stringify(reply.body)));
}

const readers = new Set(['GET', 'HEAD']);

function decide(world: World, incoming: IncomingMessage, body: unknown): Reply {
  const url = new URL(incoming.url ?? '/', 'http://double');
  const request: Request = {
    method: incoming.method ?? 'GET',
    segments: url.pathname.split('/').slice(2).map(decodeURIComponent),
    query: url.searchParams,
    headers: incoming.headers,
    body: body as Record<string, unknown>,
  };
  const [noun] = request.segments;
  if (noun === 'health') return { status: 200, body: { ok: true, version: '0.1.0' } };
  const token = request.headers.authorization;
  if (token !== 'Bearer admin' && token !== 'Bearer reader') {
    return problem(401, 'unauthorized', 'The token is missing or not valid.');
  }
  if (token === 'Bearer reader' && !readers.has(request.method)) {
    return problem(403, 'forbidden', 'The token does not carry the scope jobs:write.');
  }
  if (noun === 'jobs' || noun === 'plan' || noun === 'jobspecs') return answerJobs(world, request);
  return answerEdges(world, request);
}
