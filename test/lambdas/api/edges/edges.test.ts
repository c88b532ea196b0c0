import { beforeAll, describe, expect, test } from 'vitest';
import { simulatedStores } from '../../../contract/simulated-stores.ts';
import { type ApiStage, createApiStage } from '../api-stage.ts';
import { makeKey, signingRequest } from '../signing-request.ts';

let api: ApiStage;

beforeAll(async () => {
  api = createApiStage(simulatedStores());
});

const capacity = { power: 250 };
const enrol = (body: object, token?: string) =>
  api.request('POST', '/v1/edges', {
    body: { capacity, ...body },
    ...(token === undefined ? {} : { token }),
  });
const report = (name: string, secret: string, body: object = {}) =>
  api.request('POST', `/v1/edges/${name}/report`, {
    token: secret,
    body: { b: 'boot', e: 0, n: 1, f: 250, w: {}, ...body },
  });

describe('enrolling', () => {
  test('a key gets a certificate; the same key gets its own record again', async () => {
    const key = makeKey();
    const csr = signingRequest(key);
    const first = await enrol({ name: 'edge-a', csr, labels: { site: 'north' } });
    expect(first.status).toBe(201);
    expect(first.json).toMatchObject({
      edge: { name: 'edge-a', state: 'enrolled', capacity, labels: { site: 'north' } },
      caCertificate: 'stage authority',
      mqttEndpoint: 'broker.test:8883',
    });
    const again = await enrol({ name: 'edge-a', csr: signingRequest(key) });
    expect(again.status).toBe(201);
    expect(again.json.certificate).toBe(first.json.certificate);
    for (const { json } of [first, again]) {
      expect((await report('edge-a', json.secret)).status).toBe(202);
    }
    const third = await enrol({ name: 'edge-a', csr });
    expect((await report('edge-a', third.json.secret)).status).toBe(202);
    expect((await report('edge-a', first.json.secret)).status).toBe(401);
    expect(api.services.controlPlane.certificates.size).toBe(1);
  });

  test('an edge without a certificate that comes with its own secret gets its own record', async () => {
    const first = await enrol({ name: 'edge-plain', labels: { site: 'north' } });
    expect([first.status, first.json.certificate]).toEqual([201, null]);
    const again = await enrol({ name: 'edge-plain' }, first.json.secret);
    expect([again.status, again.json.edge.name]).toEqual([201, 'edge-plain']);
    expect(again.json.edge.labels).toEqual({ site: 'north' });
    for (const { json } of [first, again]) {
      expect((await report('edge-plain', json.secret)).status).toBe(202);
    }
    const stranger = await enrol({ name: 'edge-plain' });
    expect([stranger.status, stranger.json.code]).toEqual([409, 'edge-exists']);
    const foreign = await enrol({ name: 'edge-other' }, first.json.secret);
    expect([foreign.status, foreign.json.code]).toEqual([403, 'forbidden']);
  });

  test('another key, a false signature and what is no request are refused', async () => {
    const other = await enrol({ name: 'edge-a', csr: signingRequest(makeKey()) });
    expect([other.status, other.json.code]).toEqual([409, 'edge-exists']);
    const forged = await enrol({ name: 'edge-b', csr: signingRequest(makeKey(), makeKey()) });
    expect(forged.json.errors[0].pointer).toBe('/csr');
    const nonsense = await enrol({ name: 'edge-b', csr: 'no request' });
    expect(nonsense.json.errors[0].pointer).toBe('/csr');
    const powerless = await enrol({ name: 'edge-b', capacity: { cores: 2 } });
    expect(powerless.json.errors[0].pointer).toBe('/capacity/power');
    expect((await api.request('GET', '/v1/edges/edge-b')).status).toBe(404);
  });

  test('of many at once with one name and different keys one gets it', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => enrol({ name: 'edge-race', csr: signingRequest(makeKey()) })),
    );
    expect(answers.map((it) => it.status).sort()).toEqual([201, ...Array(7).fill(409)]);
    const named = [...api.services.controlPlane.certificates.values()].filter(
      (edge) => edge === 'edge-race',
    );
    expect(named).toHaveLength(1);
  });

  test('an enrol token is bound to its pool, its name and its uses', async () => {
    const make = async (body: object) =>
      (await api.request('POST', '/v1/tokens', { body: { name: 't', ...body } })).json;
    const scopes = ['edges:enrol'];
    const named = await make({ scopes, pool: 'blue', edge: 'edge-n' });
    expect((await enrol({ name: 'edge-m' }, named.secret)).status).toBe(403);
    expect((await enrol({ name: 'edge-n', pool: 'red' }, named.secret)).status).toBe(403);
    const joined = await enrol({ name: 'edge-n' }, named.secret);
    expect(joined.json.edge.pool).toBe('blue');
    const twice = await make({ scopes, uses: 2 });
    const made = [];
    for (const name of ['u-1', 'u-2', 'u-3']) made.push(await enrol({ name }, twice.secret));
    expect(made.map((it) => it.status)).toEqual([201, 201, 403]);
  });
});

describe('renewing', () => {
  test('its own secret gets an edge a fresh certificate, and ends nothing that it holds', async () => {
    const key = makeKey();
    const csr = signingRequest(key);
    const first = await enrol({ name: 'edge-r', csr });
    const second = await enrol({ name: 'edge-r', csr }, first.json.secret);
    expect(second.status).toBe(201);
    expect(second.json.certificate).not.toBe(first.json.certificate);
    for (const { json } of [first, second]) {
      expect((await report('edge-r', json.secret)).status).toBe(202);
    }
    const ofEdge = () =>
      [...api.services.controlPlane.certificates.values()].filter((edge) => edge === 'edge-r');
    expect(ofEdge()).toHaveLength(2);
    // The answer was lost: the same question gives the same certificate, and the old secret lives.
    for (let lost = 0; lost < 3; lost++) {
      const again = await enrol({ name: 'edge-r', csr }, first.json.secret);
      expect(again.json.certificate).toBe(second.json.certificate);
    }
    const rotated = await enrol(
      { name: 'edge-r', csr: signingRequest(makeKey()) },
      first.json.secret,
    );
    expect(rotated.status).toBe(201);
    expect(rotated.json.certificate).not.toBe(second.json.certificate);
    expect(ofEdge()).toHaveLength(2);
    expect((await report('edge-r', rotated.json.secret)).status).toBe(202);
    expect((await report('edge-r', second.json.secret)).status).toBe(401);
    expect((await api.request('DELETE', '/v1/edges/edge-r?force=true')).status).toBe(202);
    expect(ofEdge()).toEqual([]);
  });

  test('an edge renews nobody else, and without a signing request keeps its certificate', async () => {
    const csr = signingRequest(makeKey());
    const { json } = await enrol({ name: 'edge-s', csr });
    await enrol({ name: 'edge-t', csr: signingRequest(makeKey()) });
    const other = await enrol({ name: 'edge-t', csr }, json.secret);
    expect([other.status, other.json.code]).toEqual([403, 'forbidden']);
    const fresh = await enrol({ name: 'edge-u', csr }, json.secret);
    expect([fresh.status, fresh.json.code]).toEqual([403, 'forbidden']);
    const bare = await enrol({ name: 'edge-s' }, json.secret);
    expect([bare.status, bare.json.certificate]).toEqual([201, json.certificate]);
    expect(api.services.controlPlane.certificates.size).toBeGreaterThan(1);
  });
});

describe('an edge at work', () => {
  test('learns which job of its report makes no sense', async () => {
    const { secret } = (await enrol({ name: 'edge-odd' })).json;
    for (const entry of [{ d: '9-1' }, { a: 5 }, 'done']) {
      const answer = await report('edge-odd', secret, { w: { 'job-a': entry, 'job-b': null } });
      expect(answer.status, answer.text).toBe(400);
      expect(answer.json.errors[0].pointer).toContain('/w/job-a');
    }
    const fine = await report('edge-odd', secret, { w: { 'job-a': { d: '1-9' }, 'job-b': null } });
    expect(fine.status).toBe(202);
  });

  test('gets chunks, is seen busy everywhere alike, and its job ends with what it reports', async () => {
    const { json } = await enrol({ name: 'edge-w', pool: 'work' });
    await report('edge-w', json.secret);
    const job = (
      await api.request('POST', '/v1/jobs', { body: { pool: 'work', power: 200, chunks: 2 } })
    ).json;
    await api.settle();
    const busy = await api.request('GET', '/v1/edges/edge-w');
    expect(busy.json).toMatchObject({ state: 'connected', busy: true, free: { power: 50 } });
    expect(busy.json.leases).toMatchObject([{ job: job.id, chunks: '0-1', slots: 2, percent: 0 }]);
    const listed = await api.request('GET', '/v1/edges?state=busy&pool=work');
    expect(listed.json.items).toEqual([busy.json]);
    const spec = await api.request('GET', `/v1/jobs/${job.id}/spec`, { token: json.secret });
    expect(spec.json).toMatchObject({
      id: job.id,
      createdBy: 'token:admin',
      chunks: 2,
      chunkPower: 100,
    });
    const wrong = `/v1/jobs/${job.id}/spec?g=other`;
    expect((await api.request('GET', wrong, { token: json.secret })).status).toBe(404);

    const output = `/v1/jobs/${job.id}/chunks/0/output`;
    const upload = {
      token: json.secret,
      raw: 'tail of it',
      headers: { 'content-type': 'text/plain' },
    };
    expect((await api.request('PUT', `${output}?attempt=1`, upload)).status).toBe(204);
    expect((await api.request('GET', output)).text).toBe('tail of it');
    const stranger = await enrol({ name: 'edge-s', pool: 'work' });
    const foreign = { ...upload, token: stranger.json.secret };
    expect((await api.request('PUT', output, foreign)).status).toBe(403);

    await report('edge-w', json.secret, { n: 2, e: 1, w: { [job.id]: { d: '0-1', a: '' } } });
    await api.settle();
    const done = (await api.request('GET', `/v1/jobs/${job.id}`)).json;
    expect(done.status).toMatchObject({ state: 'done', percent: 100 });
    expect(done.status.executions).toMatchObject([
      { edge: 'edge-w', chunks: '0-1', power: 200, percent: 100, done: '0-1' },
    ]);
    const history = await api.request('GET', '/v1/edges/edge-w/jobs');
    expect(history.json.items).toMatchObject([{ job: job.id, state: 'done' }]);
    const totals = (await api.request('GET', '/v1/edges/edge-w')).json.totals;
    expect(totals).toEqual({ chunksDone: 2, powerServed: 200 });
    const chunks = await api.request('GET', `/v1/jobs/${job.id}/chunks?state=done`);
    expect(chunks.json.items).toMatchObject([
      { chunk: 0, state: 'done', edge: 'edge-w', exitCode: 0, output },
      { chunk: 1, state: 'done', edge: 'edge-w' },
    ]);
    const stats = (await api.request('GET', '/v1/stats')).json;
    expect(stats.jobs.done).toBe(1);
  });

  test('cordon, drain and uncordon', async () => {
    const path = '/v1/edges/edge-w';
    const cordoned = await api.request('PATCH', path, { body: { cordoned: true, reason: 'fan' } });
    expect(cordoned.json).toMatchObject({ cordoned: true, reason: 'fan' });
    const drained = await api.request('POST', `${path}/drain`, {
      body: { reason: 'move', deadlineSeconds: 60 },
    });
    expect([drained.status, drained.json.draining, drained.json.reason]).toEqual([
      202,
      true,
      'move',
    ]);
    const open = await api.request('PATCH', path, { body: { cordoned: false } });
    expect(open.json).toMatchObject({ cordoned: false, draining: false, reason: null });
    const stale = { body: { cordoned: true }, headers: { 'if-match': cordoned.headers.etag! } };
    expect((await api.request('PATCH', path, stale)).status).toBe(412);
  });

  test('removing by force ends its secret at once and frees its name', async () => {
    const key = makeKey();
    const { json } = await enrol({ name: 'edge-gone', csr: signingRequest(key) });
    const removed = await api.request('DELETE', '/v1/edges/edge-gone?force=true');
    expect([removed.status, removed.json.removing]).toEqual([202, true]);
    expect((await report('edge-gone', json.secret)).status).toBe(401);
    await api.settle();
    expect((await api.request('GET', '/v1/edges/edge-gone')).status).toBe(404);
    expect(api.services.leaving()).toContainEqual(expect.stringContaining('"edge-gone"'));
    const next = await enrol({ name: 'edge-gone', csr: signingRequest(makeKey()) });
    expect(next.status).toBe(201);
  });
});
