import { beforeAll, describe, expect, test } from 'vitest';
import { simulatedStores } from '../../../contract/simulated-stores.ts';
import { type ApiStage, createApiStage } from '../api-stage.ts';

let api: ApiStage;

beforeAll(async () => {
  api = createApiStage(simulatedStores());
});

const submit = (body: unknown, headers: Record<string, string> = {}) =>
  api.request('POST', '/v1/jobs', { body, headers });

describe('submitting a job', () => {
  test('power alone is cut into four, the last with the remainder', async () => {
    const answer = await submit({ power: 403 });
    expect(answer.status).toBe(202);
    expect(answer.headers.location).toBe(`/v1/jobs/${answer.json.id}`);
    expect(answer.json.spec).toMatchObject({
      power: 403,
      chunks: 4,
      chunkPower: null,
      run: { simulate: { wattSeconds: 100 } },
      priority: 50,
      kind: 'batch',
    });
    const plan = await api.request('POST', '/v1/plan', { body: { power: 403 } });
    expect(plan.json).toMatchObject({ chunks: 4, chunkPower: 100, lastChunkPower: 103 });
  });

  test('a job that nothing can run is stored and says why', async () => {
    const { json } = await submit({ power: 8 });
    await api.settle();
    const after = await api.request('GET', `/v1/jobs/${json.id}`);
    expect(after.json.status).toMatchObject({
      state: 'pending',
      waiting: [{ reason: 'no-edges' }],
    });
    const explained = await api.request('GET', `/v1/jobs/${json.id}/explain`);
    expect(explained.json).toMatchObject({
      pending: 4,
      reasons: [{ reason: 'no-edges', chunks: 4 }],
    });
  });

  test('by default a job is one chunk of power 1', async () => {
    const { json } = await submit({});
    expect(json.spec).toMatchObject({ power: null, chunks: 1, chunkPower: 1 });
  });
});

describe('a body that is wrong', () => {
  const web = { kind: 'service', run: { process: { argv: ['x'] } } };
  const cases: readonly [string, unknown, string][] = [
    ['an unknown field', { power: 4, colour: 'red' }, '/colour'],
    ['power 0', { power: 0 }, '/power'],
    ['power -1', { power: -1 }, '/power'],
    ['power 1.5', { power: 1.5 }, '/power'],
    ['power 1e12', { power: 1e12 }, '/power'],
    ['power as a text', { power: 'x' }, '/power'],
    ['both powers', { power: 4, chunkPower: 2 }, '/chunkPower'],
    ['a status', { power: 4, status: {} }, '/status'],
    ['a state', { power: 4, state: 'done' }, '/state'],
    ['more chunks than power', { power: 3, chunks: 4 }, '/chunks'],
    ['two runs', { run: { simulate: { seconds: 1 }, process: { argv: ['x'] } } }, '/run'],
    [
      'an unknown operator',
      { requires: { expressions: [{ key: 'a', op: '~' }] } },
      '/requires/expressions/0/op',
    ],
    ['a NUL', { labels: { a: 'x\u0000' } }, '/labels/a'],
    ['half a character', { labels: { a: '\ud800' } }, '/labels/a'],
    ['a number of edges for everywhere', { kind: 'everywhere', chunks: 2 }, '/chunks'],
    ['until of a job that has a number', { until: 'forever' }, '/until'],
    ['a kind that nobody knows', { kind: 'cron' }, '/kind'],
    ['a service that says no run', { kind: 'service' }, '/run'],
    ['a service of one power', { ...web, power: 400 }, '/power'],
    ['a service with a deadline', { ...web, deadlineSeconds: 5 }, '/deadlineSeconds'],
    [
      'a service that is given up',
      { ...web, retries: { maxFailedChunks: 1 } },
      '/retries/maxFailedChunks',
    ],
    ['a service that ends', { ...web, run: { simulate: { seconds: 1 } } }, '/run/simulate'],
    ['a service in a batch queue', { ...web, run: { slurm: { argv: ['x'] } } }, '/run'],
    ['a service as a gang', { ...web, placement: { nodes: 2 } }, '/placement/nodes'],
    ['a service of too many', { ...web, chunks: 501 }, '/chunks'],
    ['a batch job that restarts', { power: 4, restart: { policy: 'always' } }, '/restart'],
    ['a batch job of no chunk', { chunks: 0 }, '/chunks'],
    ['a simulation of nothing', { run: { simulate: {} } }, '/run/simulate'],
    ['a parent that is not there', { dependsOn: ['nobody'] }, '/dependsOn/0'],
  ];
  test.each(cases)(
    '%s is refused with its place, and nothing is stored',
    async (_, body, pointer) => {
      const before = (await api.request('GET', '/v1/jobs?limit=500')).json.items.length;
      const answer = await submit(body);
      expect(answer.status).toBe(400);
      expect(answer.headers['content-type']).toBe('application/problem+json');
      expect(answer.json).toMatchObject({ code: 'invalid-request', status: 400 });
      expect(answer.json.errors.map((it: { pointer: string }) => it.pointer)).toContain(pointer);
      expect(answer.json.requestId).toBe(answer.headers['x-request-id']);
      const after = (await api.request('GET', '/v1/jobs?limit=500')).json.items.length;
      expect(after).toBe(before);
    },
  );

  test('a key that would change prototypes is refused', async () => {
    const raw = '{"labels":{"__proto__":"x"}}';
    const answer = await api.request('POST', '/v1/jobs', { raw });
    expect(answer.json.errors[0].pointer).toBe('/labels/__proto__');
  });

  test('no JSON, no UTF-8, too large, another type', async () => {
    const post = (raw: string | Buffer, type = 'application/json') =>
      api.request('POST', '/v1/jobs', { raw, headers: { 'content-type': type } });
    expect((await post('{')).json.code).toBe('invalid-json');
    expect((await post(Buffer.from([0x22, 0xff, 0x22]))).json.code).toBe('invalid-json');
    expect((await post('power=4', 'application/x-www-form-urlencoded')).status).toBe(415);
    expect((await post(`"${'x'.repeat(262_142)}"`)).status).toBe(400);
    expect((await post(`"${'x'.repeat(262_143)}"`)).status).toBe(413);
    expect((await post('['.repeat(100_000) + ']'.repeat(100_000))).status).toBe(400);
  });
});

describe('texts come back as they were sent', () => {
  test.each([
    ['quotes', `a "b" 'c' \\ \``],
    ['newlines', 'a\nb\r\nc\t\u0001'],
    ['emoji and 4-byte characters', '👩🏽‍🚀 𝒳 漢字 ‮ \u200b'],
    ['percent', '%s %00 %n $x {{y}}'],
    ['60 KB', 'ü'.repeat(15_000) + 'x'.repeat(30_000)],
  ])('%s', async (_, text) => {
    const body = { run: { process: { argv: ['echo', text], env: { A: text } } } };
    const small = text.length > 10_000 ? { run: { process: { argv: ['echo', text] } } } : body;
    const { json, status } = await submit(small);
    expect(status).toBe(202);
    const read = await api.request('GET', `/v1/jobs/${json.id}`);
    expect(read.json.spec.run.process.argv[1]).toBe(text);
  });
});

describe('doing something once', () => {
  test('100 submits at once with one key make one job', async () => {
    const headers = { 'idempotency-key': 'once' };
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => submit({ power: 77, labels: { once: 'yes' } }, headers)),
    );
    expect(new Set(answers.map((it) => it.status))).toEqual(new Set([202]));
    expect(new Set(answers.map((it) => it.json.id)).size).toBe(1);
    const listed = await api.request('GET', '/v1/jobs?label=once%3Dyes');
    expect(listed.json.items).toHaveLength(1);
    const other = await submit({ power: 78 }, headers);
    expect([other.status, other.json.code]).toEqual([422, 'idempotency-key-reused']);
    const long = await submit({ power: 78 }, { 'idempotency-key': 'k'.repeat(129) });
    expect(long.status).toBe(400);
  });

  test('of two edits with one ETag one wins', async () => {
    const { json } = await submit({ power: 9 });
    const path = `/v1/jobs/${json.id}`;
    const etag = (await api.request('GET', path)).headers.etag!;
    const edits = await Promise.all(
      [10, 20].map((priority) =>
        api.request('PATCH', path, { body: { priority }, headers: { 'if-match': etag } }),
      ),
    );
    expect(edits.map((it) => it.status).sort()).toEqual([200, 412]);
    const stale = await api.request('DELETE', path, { headers: { 'if-match': etag } });
    expect(stale.status).toBe(412);
    const known = (await api.request('GET', path)).headers.etag!;
    const again = await api.request('GET', path, { headers: { 'if-none-match': known } });
    expect([again.status, again.text]).toEqual([304, '']);
  });

  test('PUT creates, updates what may change, and never overwrites when asked not to', async () => {
    const put = (body: unknown, headers = {}) =>
      api.request('PUT', '/v1/jobs/nightly-1', { body, headers });
    expect((await put({ power: 40 })).status).toBe(202);
    expect((await put({ power: 40 })).status).toBe(200);
    const changed = await put({ power: 40, priority: 7 });
    expect([changed.status, changed.json.spec.priority]).toEqual([200, 7]);
    expect((await put({ power: 41 })).json.code).toBe('conflict');
    expect((await put({ power: 40 }, { 'if-none-match': '*' })).status).toBe(412);
    const events = await api.request('GET', '/v1/jobs/nightly-1/events');
    expect(events.json.items.map((it: { kind: string }) => it.kind)).toEqual([
      'submitted',
      'edited',
    ]);
  });
});

describe('the end of a job', () => {
  test('cancel, cancel again, purge', async () => {
    const { json } = await submit({ power: 6 });
    const path = `/v1/jobs/${json.id}`;
    const early = await api.request('DELETE', `${path}?purge=true`);
    expect([early.status, early.json.code]).toEqual([409, 'not-finished']);
    expect((await api.request('DELETE', path)).status).toBe(202);
    await api.settle();
    const after = await api.request('DELETE', path);
    expect([after.status, after.json.status.state]).toEqual([200, 'cancelled']);
    const chunk = await api.request('GET', `${path}/chunks/0`);
    expect(chunk.json).toMatchObject({ chunk: 0, state: 'cancelled', edge: null });
    expect((await api.request('GET', `${path}/chunks/4`)).status).toBe(404);
    const retried = await api.request('POST', `${path}/retry`);
    expect([retried.status, retried.json.code]).toEqual([409, 'nothing-to-retry']);
    expect((await api.request('DELETE', `${path}?purge=true`)).status).toBe(204);
    expect((await api.request('GET', path)).status).toBe(404);
  });

  test('a job waits for another and starts when that is done', async () => {
    const parent = await submit({ power: 4 });
    const child = await submit({ power: 4, dependsOn: [parent.json.id] });
    expect(child.json.status.state).toBe('waiting');
    await api.request('DELETE', `/v1/jobs/${parent.json.id}`);
    await api.settle();
    const late = await submit({ power: 4, dependsOn: [parent.json.id] });
    expect([late.status, late.json.code]).toEqual([422, 'unsatisfiable']);
  });
});
