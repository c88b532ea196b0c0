import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { openApi } from '../../../cli/client/api.ts';
import { listPages } from '../../../cli/client/pages.ts';
import { exitCode } from '../../../cli/exit-code.ts';
import { requestAttemptsMax } from '../../../cli/limits.ts';
import { queryText } from '../../../clients/typescript/repeat.ts';
import { type ScriptedTerminal, scriptedTerminal } from '../scripted-terminal.ts';

type Answer = (request: IncomingMessage, response: ServerResponse, n: number) => void;

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function serve(answer: Answer) {
  let asked = 0;
  const server = createServer((request, response) => answer(request, response, ++asked));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  const terminal: ScriptedTerminal = scriptedTerminal({ directory: '/' });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { api: openApi({ url, token: 't' }, terminal), terminal, asked: () => asked };
}

describe('repetition', () => {
  test('waits as long as a 429 asks for, then goes on', async () => {
    const { api, terminal, asked } = await serve((_, response, n) => {
      if (n < 3) response.writeHead(429, { 'retry-after': '2' }).end();
      else response.end('{"ok":true}');
    });
    const startMs = terminal.nowMs();
    expect(await api.get('/v1/x')).toEqual({ ok: true });
    expect(asked()).toBe(3);
    expect(terminal.nowMs() - startMs).toBe(4_000);
  });

  test('gives up after a bounded number of tries', async () => {
    const { api, asked } = await serve((_, response) => response.writeHead(503).end());
    await expect(api.get('/v1/x')).rejects.toMatchObject({
      code: exitCode.failure,
      problem: { status: 503 },
    });
    expect(asked()).toBe(requestAttemptsMax);
  });

  test('does not wait for an hour', async () => {
    const { api, asked } = await serve((_, response) => {
      response.writeHead(429, { 'retry-after': '3600' }).end();
    });
    await expect(api.get('/v1/x')).rejects.toMatchObject({ problem: { status: 429 } });
    expect(asked()).toBe(1);
  });

  test('repeats a broken connection only when the request may be repeated', async () => {
    const breaking: Answer = (request, response, n) => {
      if (n === 1) request.socket.destroy();
      else response.end('{}');
    };
    const safe = await serve(breaking);
    await safe.api.get('/v1/x');
    expect(safe.asked()).toBe(2);

    const keyed = await serve(breaking);
    await keyed.api.ask('POST', '/v1/jobs', { body: {}, headers: { 'idempotency-key': 'k' } });
    expect(keyed.asked()).toBe(2);

    const unsafe = await serve(breaking);
    await expect(unsafe.api.ask('POST', '/v1/edges/e/drain')).rejects.toMatchObject({
      code: exitCode.failure,
    });
    expect(unsafe.asked()).toBe(1);
  });

  test('does not repeat what is refused', async () => {
    const { api, asked } = await serve((_, response) => response.writeHead(404).end('{}'));
    await expect(api.get('/v1/x')).rejects.toMatchObject({ code: exitCode.notFound });
    expect(asked()).toBe(1);
  });
});

describe('answers', () => {
  test.each([
    [400, 'invalid-request', exitCode.usage],
    [403, 'forbidden', exitCode.notAuthorised],
    [404, 'not-found', exitCode.notFound],
    [409, 'conflict', exitCode.conflict],
    [412, 'precondition-failed', exitCode.conflict],
    [413, 'too-large', exitCode.usage],
    [422, 'idempotency-key-reused', exitCode.conflict],
    [422, 'unsatisfiable', exitCode.notPlaced],
    [500, 'internal', exitCode.failure],
  ])('%d %s ends with %d', async (status, code, expected) => {
    const { api } = await serve((_, response) => {
      response.writeHead(status).end(JSON.stringify({ status, code, detail: 'It is so' }));
    });
    const asking = api.get('/v1/x');
    await expect(asking).rejects.toMatchObject({ code: expected, message: 'It is so.' });
  });

  test('a token that is refused reads differently from one that is missing', async () => {
    const { api, terminal } = await serve((_, response) => response.writeHead(401).end('{}'));
    const refused = { code: exitCode.notAuthorised, message: expect.stringContaining('expired') };
    await expect(api.get('/v1/x')).rejects.toMatchObject(refused);
    const without = openApi({ url: api.url, token: null }, terminal);
    await expect(without.get('/v1/x')).rejects.toThrow('No token is given.');
  });

  test('what the sentence says already is not said again', async () => {
    const errors = [{ pointer: '/power', message: 'must be positive' }];
    const detail = 'The body is not valid at /power: must be positive';
    const { api } = await serve((_, response) => {
      response.writeHead(400).end(JSON.stringify({ detail, errors }));
    });
    await expect(api.get('/v1/x')).rejects.toMatchObject({ message: `${detail}.`, remedy: null });
  });

  test('names every pointer of a refused body', async () => {
    const errors = [
      { pointer: '/power', message: 'must be positive' },
      { pointer: '/chunks', message: 'must be an integer' },
    ];
    const { api } = await serve((_, response) => {
      response.writeHead(400).end(JSON.stringify({ detail: 'The body is not valid.', errors }));
    });
    await expect(api.get('/v1/x')).rejects.toMatchObject({
      remedy: '/power: must be positive\n  /chunks: must be an integer',
    });
  });

  test('a page that is not an API is named as such', async () => {
    const { api } = await serve((_, response) => response.end('<html>'));
    await expect(api.get('/v1/x')).rejects.toThrow('does not answer like an Edgewise API');
  });

  test('an error without a body is still a sentence', async () => {
    const { api } = await serve((_, response) => response.writeHead(502).end('<html>bad</html>'));
    await expect(api.get('/v1/x')).rejects.toThrow('The API answered 502.');
  });

  test('an address where nobody answers is named, with what to do', async () => {
    const terminal = scriptedTerminal({ directory: '/' });
    const api = openApi({ url: 'http://127.0.0.1:2', token: null }, terminal);
    await expect(api.get('/v1/x')).rejects.toMatchObject({
      message: 'Nothing listens at http://127.0.0.1:2.',
      remedy: expect.stringContaining('npm start'),
    });
  });
});

test('the token goes along, and only as a header', async () => {
  let seen: IncomingMessage | undefined;
  const { api } = await serve((request, response) => {
    seen = request;
    response.end('{}');
  });
  await api.get('/v1/jobs', { label: ['a=1', 'b=x y'], state: undefined, limit: 5 });
  expect(seen?.headers.authorization).toBe('Bearer t');
  expect(seen?.url).toBe('/v1/jobs?label=a%3D1&label=b%3Dx+y&limit=5');
  expect(queryText({})).toBe('');
});

test('pages are followed until enough is there', async () => {
  const { api, asked } = await serve((request, response) => {
    const query = new URL(request.url ?? '', 'http://x').searchParams;
    const start = Number(query.get('cursor') ?? 0);
    const limit = Number(query.get('limit'));
    const items = Array.from({ length: Math.min(limit, 1_200 - start) }, (_, i) => start + i);
    const nextCursor = start + items.length < 1_200 ? String(start + items.length) : null;
    response.end(JSON.stringify({ items, nextCursor }));
  });
  const some = await listPages<number>(api, '/v1/x', {}, 700);
  expect(some.items).toHaveLength(700);
  expect(some.nextCursor).toBe('700');
  expect(asked()).toBe(2);
  const all = await listPages<number>(api, '/v1/x', {}, 10_000);
  expect(all.items).toEqual(Array.from({ length: 1_200 }, (_, i) => i));
  expect(all.nextCursor).toBeNull();
});
