import { beforeEach, expect, test } from 'vitest';
import { createMemoryStores } from '../../../memory/stores.ts';
import { type ApiStage, createApiStage } from '../api-stage.ts';

let api: ApiStage;
beforeEach(() => {
  api = createApiStage(createMemoryStores());
});

const url = 'https://example.com/ended';
const own = 'a-secret-of-sixteen-or-more';
const body = (onEnd: object) => ({ chunks: 1, run: { simulate: { seconds: 1 } }, onEnd });

test.each([
  ['one of theirs', { url, secret: own }, /^a-secret-of-sixteen-or-more$/],
  ['one that is made', { url }, /^whsec_[\w-]{32}$/],
])('a job has %s in the answer that makes it, and in no other', async (_, onEnd, secret) => {
  const made = await api.request('POST', '/v1/jobs', { body: body(onEnd) });
  expect(made.status).toBe(202);
  expect(made.json.spec.onEnd).toEqual({ url, secret: expect.stringMatching(secret) });
  const said = made.json.spec.onEnd.secret;
  for (const path of [`/v1/jobs/${made.json.id}`, '/v1/jobs', '/v1/audit']) {
    expect((await api.request('GET', path)).text).not.toContain(said);
  }
  const { json } = await api.request('GET', `/v1/jobs/${made.json.id}`);
  expect(json.spec.onEnd).toEqual({ url });
  expect(JSON.stringify(api.log.lines)).not.toContain(said);
});

test('what was read can be put again, and another address is another job', async () => {
  const put = (onEnd: object) => api.request('PUT', '/v1/jobs/a', { body: body(onEnd) });
  expect((await put({ url, secret: own })).status).toBe(202);
  expect((await put({ url })).status).toBe(200);
  expect((await put({ url, secret: own })).status).toBe(200);
  expect((await put({ url: `${url}/2` })).status).toBe(409);
});

test('each of a batch has its own, and so has a schedule', async () => {
  const jobs = [body({ url }), body({ url })];
  const batch = await api.request('POST', '/v1/jobs/batch', { body: { jobs } });
  const secrets = batch.json.items.map((job: typeof batch.json) => job.spec.onEnd.secret);
  expect(new Set(secrets).size).toBe(2);
  const schedule = { name: 'nightly', everySeconds: 3_600, job: body({ url }) };
  const made = await api.request('POST', '/v1/schedules', { body: schedule });
  expect(made.json.job.onEnd.secret).toMatch(/^whsec_/);
  for (const path of ['/v1/schedules/nightly', '/v1/schedules']) {
    const { status, text } = await api.request('GET', path);
    expect([status, text.includes('whsec_')]).toEqual([200, false]);
  }
});

test.each(['http://169.254.169.254/', 'http://127.0.0.1:4566/', 'http://[::1]/', 'ftp://a'])(
  '%s is refused, wherever a job is described',
  async (bad) => {
    const job = body({ url: bad });
    const ways = [
      ['POST', '/v1/jobs', job, '/onEnd/url'],
      ['PUT', '/v1/jobs/b', job, '/onEnd/url'],
      ['POST', '/v1/jobs/batch', { jobs: [job] }, '/jobs/0/onEnd/url'],
      ['POST', '/v1/schedules', { name: 'n', everySeconds: 60, job }, '/onEnd/url'],
    ] as const;
    for (const [method, path, sent, pointer] of ways) {
      const { status, json } = await api.request(method, path, { body: sent });
      expect([path, status, json.errors?.[0]?.pointer]).toEqual([path, 400, pointer]);
    }
  },
);
