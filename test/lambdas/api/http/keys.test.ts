import { beforeEach, expect, test } from 'vitest';
import { createMemoryStores } from '../../../memory/stores.ts';
import { type ApiStage, createApiStage } from '../api-stage.ts';

let api: ApiStage;
beforeEach(async () => {
  api = createApiStage(createMemoryStores());
  await api.request('POST', '/v1/edges', { body: { name: 'red', capacity: { power: 5 } } });
});

const one = { version: 1, resources: { one: { type: 'node', count: 1 } } };
const hook = { url: 'https://example.com/hook', kinds: ['job.done'] };
const nightly = { name: 'nightly', cron: '@daily', job: { power: 5 } };

/** Every route that makes something new of what it is sent. */
test.each([
  ['/v1/jobs', { power: 5 }, { power: 6 }],
  ['/v1/jobs/batch', { jobs: [{}] }, { jobs: [{}, {}] }],
  [
    '/v1/jobspecs',
    { ...one, tasks: [{ name: 'a', command: ['true'], resources: 'one' }] },
    { ...one, tasks: [{ name: 'b', command: ['true'], resources: 'one' }] },
  ],
  ['/v1/schedules', nightly, { ...nightly, name: 'daily' }],
  ['/v1/webhooks', hook, { ...hook, kinds: ['job.failed'] }],
  ['/v1/edges', { name: 'blue', capacity: { power: 5 } }, { name: 'pink', capacity: { power: 5 } }],
  ['/v1/edges/red/submit-tokens', { name: 'ci' }, { name: 'cd' }],
  ['/v1/tokens', { name: 'ci', scopes: ['jobs:read'] }, { name: 'cd', scopes: ['jobs:read'] }],
])(
  'POST %s: the same key and body get the first answer, another body 422',
  async (path, ...bodies) => {
    const headers = { 'idempotency-key': 'once' };
    const [body, other] = bodies;
    const first = await api.request('POST', path, { body, headers });
    expect(first.status).toBeLessThan(300);
    const again = await api.request('POST', path, { body, headers });
    expect([again.status, again.text]).toEqual([first.status, first.text]);
    expect([again.headers.location, again.headers.etag]).toEqual([
      first.headers.location,
      first.headers.etag,
    ]);
    const clash = await api.request('POST', path, { body: other, headers });
    expect([clash.status, clash.json.code]).toEqual([422, 'idempotency-key-reused']);
  },
);

test('a key whose request was refused is free again', async () => {
  const headers = { 'idempotency-key': 'once' };
  for (const path of ['/v1/schedules', '/v1/webhooks']) {
    expect((await api.request('POST', path, { body: {}, headers })).status).toBe(400);
  }
  const made = await api.request('POST', '/v1/webhooks', { body: hook, headers });
  expect([made.status, made.json.url]).toEqual([201, hook.url]);
});
