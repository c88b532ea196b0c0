import { beforeEach, expect, test } from 'vitest';
import { createMemoryStores } from '../../../memory/stores.ts';
import { type ApiStage, createApiStage } from '../api-stage.ts';

let api: ApiStage;
beforeEach(() => {
  api = createApiStage(createMemoryStores());
});

const made = async (path: string, body: object) =>
  (await api.request('POST', path, { body })).json.id as string;

const jobspec = {
  version: 1,
  resources: { one: { type: 'node', count: 1 } },
  tasks: [{ name: 'a', command: ['true'], resources: 'one' }],
};

/** Where each kind of thing is read, and how it is changed there. */
const things: readonly (readonly [
  string,
  'PUT' | 'DELETE',
  object | null,
  () => Promise<string>,
])[] = [
  [
    'a webhook',
    'DELETE',
    null,
    async () => {
      const hook = { url: 'https://example.com/hook', kinds: ['job.done'] };
      return `/v1/webhooks/${await made('/v1/webhooks', hook)}`;
    },
  ],
  ['a jobspec', 'DELETE', null, async () => `/v1/jobspecs/${await made('/v1/jobspecs', jobspec)}`],
  [
    'the state of a cluster',
    'PUT',
    { nodes_free: 3 },
    async () => {
      const body = { name: 'red', capacity: { power: 5 } };
      await api.request('POST', '/v1/edges', { body });
      return '/v1/edges/red/state';
    },
  ],
];

test.each(things)('%s has an ETag, and is new only once', async (_, _method, _body, make) => {
  const path = await make();
  const first = await api.request('GET', path);
  expect([first.status, first.headers.etag]).toEqual([200, expect.stringMatching(/^"\d+-.+"$/)]);
  const headers = { 'if-none-match': first.headers.etag ?? '' };
  const again = await api.request('GET', path, { headers });
  expect([again.status, again.text, again.headers.etag]).toEqual([304, '', first.headers.etag]);
});

test.each(things)('%s is changed as it was read, or not', async (_, method, body, make) => {
  const path = await make();
  const change = (tag: string) =>
    api.request(method, path, {
      headers: { 'if-match': tag },
      ...(body === null ? {} : { body }),
    });
  for (const tag of ['"99-another"', 'nothing']) {
    const refused = await change(tag);
    expect([refused.status, refused.json.code]).toEqual([412, 'precondition-failed']);
  }
  const { headers } = await api.request('GET', path);
  expect((await change(`"99-another", ${headers.etag}`)).status).toBeLessThan(300);
});

test('what others changed meanwhile is not changed by who read it before', async () => {
  await api.request('POST', '/v1/edges', { body: { name: 'red', capacity: { power: 5 } } });
  const put = (headers: Record<string, string> = {}) =>
    api.request('PUT', '/v1/edges/red/state', { body: { nodes_free: 3 }, headers });
  const { headers } = await put();
  expect((await put({ 'if-match': headers.etag ?? '' })).status).toBe(200);
  expect((await put({ 'if-match': headers.etag ?? '' })).status).toBe(412);
  const path = `/v1/jobspecs/${await made('/v1/jobspecs', jobspec)}`;
  const { headers: read } = await api.request('GET', path);
  const cancelled = await api.request('DELETE', path, { headers: { 'if-match': read.etag ?? '' } });
  expect(cancelled.status).toBe(202);
  const purge = (tag = '') =>
    api.request('DELETE', `${path}?purge=true`, { headers: { 'if-match': tag } });
  expect((await purge(read.etag)).status).toBe(412);
  await api.settle();
  expect((await purge((await api.request('GET', path)).headers.etag)).status).toBe(204);
});
