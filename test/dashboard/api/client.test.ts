import { describe, expect, test } from 'vitest';
import { createClient } from '../../../dashboard/api/client.ts';
import { createCollectionLoader } from '../../../dashboard/live/collection.ts';

type Answer = { status?: number; body?: unknown; headers?: Record<string, string> };

function clientOf(answers: Answer[] | (() => Promise<Response>), timeoutMs = 5_000) {
  const seen: { url: string; init: RequestInit | undefined }[] = [];
  const signedOut: string[] = [];
  const client = createClient({
    api: 'https://api.test',
    token: 'secret',
    timeoutMs,
    onSignedOut: (problem) => signedOut.push(problem.sentence),
    fetch: async (url, init) => {
      seen.push({ url: String(url), init });
      if (typeof answers === 'function') return Promise.race([answers(), abortOf(init)]);
      const { status = 200, body = {}, headers = {} } = answers.shift() ?? {};
      return new Response(status === 304 ? null : JSON.stringify(body), { status, headers });
    },
  });
  return { client, seen, signedOut };
}

/** As the real fetch does: the promise is broken when the signal is. */
function abortOf(init: RequestInit | undefined): Promise<never> {
  return new Promise((_, reject) => {
    init?.signal?.addEventListener('abort', () => reject(new DOMException('late')));
  });
}

describe('client', () => {
  test('an answer with the same text is the same object', async () => {
    const { client } = clientOf([{ body: { a: 1 } }, { body: { a: 1 } }, { body: { a: 2 } }]);
    const first = await client.read('/v1/x');
    const second = await client.read('/v1/x');
    const third = await client.read('/v1/x');
    if (!first.ok || !second.ok || !third.ok) throw new Error('all should be answered');
    expect(second.value).toBe(first.value);
    expect(second.unchanged).toBe(true);
    expect(third).toMatchObject({ value: { a: 2 }, unchanged: false });
  });

  test('an answer that the server need not repeat is the same object', async () => {
    const headers = { etag: '"1-a"' };
    const { client, seen } = clientOf([
      { body: { a: 1 }, headers },
      { status: 304, headers },
    ]);
    const first = await client.read('/v1/x');
    const second = await client.read('/v1/x');
    if (!first.ok || !second.ok) throw new Error('both should be answered');
    expect(new Headers(seen[0]?.init?.headers).has('if-none-match')).toBe(false);
    expect(new Headers(seen[1]?.init?.headers).get('if-none-match')).toBe('"1-a"');
    expect(second.value).toBe(first.value);
    expect(second.unchanged).toBe(true);
  });

  test('carries the token and the idempotency key', async () => {
    const { client, seen } = clientOf([{}]);
    await client.send('POST', '/v1/jobs', { power: 1 }, 'k1');
    const headers = new Headers(seen[0]?.init?.headers);
    expect(headers.get('authorization')).toBe('Bearer secret');
    expect(headers.get('idempotency-key')).toBe('k1');
  });

  test('a refusal keeps the words, the fields and the request id of the API', async () => {
    const body = {
      code: 'invalid-request',
      detail: 'The job is not valid.',
      errors: [{ pointer: '/power', message: 'must be positive' }],
      requestId: 'r1',
    };
    const { client } = clientOf([{ status: 400, body }]);
    const answer = await client.send('POST', '/v1/jobs', {});
    expect(answer).toMatchObject({
      ok: false,
      problem: {
        kind: 'refused',
        code: 'invalid-request',
        sentence: 'The job is not valid.',
        errors: [{ pointer: '/power', message: 'must be positive' }],
        requestId: 'r1',
      },
    });
  });

  test('a token that is no longer known signs out', async () => {
    const { client, signedOut } = clientOf([{ status: 401, body: {} }]);
    await client.read('/v1/stats');
    expect(signedOut).toHaveLength(1);
  });

  test('a pause that was asked for reaches the feed', async () => {
    const { client } = clientOf([{ status: 429, body: {}, headers: { 'retry-after': '7' } }]);
    const answer = await client.read('/v1/stats');
    expect(answer).toMatchObject({ ok: false, problem: { kind: 'busy', retryAfterMs: 7_000 } });
  });

  test('no network is offline, no answer is slow', async () => {
    const down = clientOf(() => Promise.reject(new TypeError('failed to fetch')));
    expect(await down.client.read('/')).toMatchObject({ problem: { kind: 'offline' } });
    const never = clientOf(() => new Promise<Response>(() => {}), 0);
    expect(await never.client.read('/')).toMatchObject({ problem: { kind: 'slow' } });
  });
});

describe('collection', () => {
  const pages = () => [
    { body: { items: [1, 2], nextCursor: 'c' } },
    { body: { items: [3], nextCursor: null } },
  ];

  test('reads all pages, shows the first at once, and keeps what did not change', async () => {
    const { client, seen } = clientOf([...pages(), ...pages()]);
    const load = createCollectionLoader<number>(client, '/v1/jobs?state=done', 100);
    const partials: unknown[] = [];
    const first = await load((partial) => partials.push(partial));
    const second = await load(() => partials.push('again'));
    if (!first.ok || !second.ok) throw new Error('all should be answered');
    expect(first.value).toEqual({ items: [1, 2, 3], more: false });
    expect(partials).toEqual([{ items: [1, 2], more: true }]);
    expect(second.value).toBe(first.value);
    expect(seen[1]?.url).toBe('https://api.test/v1/jobs?state=done&limit=500&cursor=c');
  });

  test('stops at its bound and says that there is more', async () => {
    const { client } = clientOf(pages());
    const load = createCollectionLoader<number>(client, '/v1/jobs', 2);
    expect(await load(() => {})).toMatchObject({ value: { items: [1, 2], more: true } });
  });
});
