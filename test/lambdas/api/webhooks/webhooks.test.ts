import { beforeEach, expect, test } from 'vitest';
import { webhooksMax } from '../../../../core/webhooks/limits.ts';
import { createMemoryStores } from '../../../memory/stores.ts';
import { type ApiStage, createApiStage } from '../api-stage.ts';
import { makeToken } from '../working-edge.ts';

let api: ApiStage;
beforeEach(() => {
  api = createApiStage(createMemoryStores());
});

const url = 'https://example.com/hook';
const make = (body: object = {}, token = api.adminToken) =>
  api.request('POST', '/v1/webhooks', { token, body: { url, kinds: ['job.done'], ...body } });

test('the secret is in the answer that makes it, and in no other', async () => {
  const own = 'my own secret with enough of it';
  for (const secret of [undefined, own.replaceAll(' ', '-')]) {
    const { status, json } = await make(secret === undefined ? {} : { secret });
    expect(status).toBe(201);
    expect(json.secret).toMatch(secret === undefined ? /^whsec_[\w-]{32}$/ : secret);
    const one = await api.request('GET', `/v1/webhooks/${json.id}`);
    const list = await api.request('GET', '/v1/webhooks');
    const trail = await api.request('GET', '/v1/audit');
    expect(one.json).toMatchObject({ url, state: 'active', failures: 0, last: null });
    expect(list.json.items.map(({ id }: { id: string }) => id)).toContain(json.id);
    expect(trail.text).toContain('webhook-created');
    for (const { text } of [one, list, trail]) expect(text).not.toContain(json.secret);
    expect(JSON.stringify(api.log.lines)).not.toContain(json.secret);
  }
});

test.each([
  [{ url: 'http://169.254.169.254/latest' }, '/url'],
  [{ url: 'http://127.0.0.1:4566/' }, '/url'],
  [{ url: 'ftp://example.com' }, '/url'],
  [{ kinds: [] }, '/kinds'],
  [{ kinds: ['job.nothing'] }, '/kinds/0'],
  [{ secret: 'short' }, '/secret'],
])('%j is refused where it is wrong', async (body, pointer) => {
  const { status, json } = await make(body);
  expect([status, json.errors[0].pointer]).toEqual([400, pointer]);
});

test('who is limited is notified of its own, and sees what is limited like itself', async () => {
  const north = await makeToken(api, { pool: 'north' });
  const all = (await make()).json;
  const { json: own } = await make({}, north);
  expect((await make({ pool: 'south' }, north)).status).toBe(403);
  expect((await api.request('GET', `/v1/webhooks/${all.id}`, { token: north })).status).toBe(404);
  const list = await api.request('GET', '/v1/webhooks', { token: north });
  expect(list.json.items.map(({ id }: { id: string }) => id)).toEqual([own.id]);
  const gone = await api.request('DELETE', `/v1/webhooks/${all.id}`, { token: north });
  expect(gone.status).toBe(404);
  expect((await api.request('DELETE', `/v1/webhooks/${own.id}`, { token: north })).status).toBe(
    204,
  );
  expect((await api.request('GET', `/v1/webhooks/${own.id}`)).status).toBe(404);
});

test('there are so many and no more', async () => {
  for (let made = 0; made < webhooksMax; made++) expect((await make()).status).toBe(201);
  const { status, json } = await make();
  expect([status, json.code]).toEqual([422, 'limit-reached']);
});
