import { beforeAll, describe, expect, test } from 'vitest';
import { type Route, routeKeyOf, routes } from '../../../../core/contract/routes.ts';
import { type Scope, scopes } from '../../../../core/contract/scopes.ts';
import { newSecret } from '../../../../lambdas/api/tokens/new-secret.ts';
import { simulatedStores } from '../../../contract/simulated-stores.ts';
import { type ApiStage, createApiStage } from '../api-stage.ts';

/** Every route against every kind of credential; then what tenants see of each other. */
let api: ApiStage;
const secrets = new Map<string, string>();
let job: string;

beforeAll(async () => {
  api = createApiStage(simulatedStores());
  for (const scope of scopes) secrets.set(scope, (await makeToken({ scopes: [scope] })).secret);
  secrets.set('expired', await makeExpired());
  const revoked = await makeToken({ scopes: ['jobs:read'] });
  await api.request('GET', '/v1/jobs', { token: revoked.secret });
  await api.request('DELETE', `/v1/tokens/${revoked.id}`);
  secrets.set('revoked', revoked.secret);
  for (const name of ['own-edge', 'other-edge']) {
    const body = { name, capacity: { power: 10 } };
    const enrolled = await api.request('POST', '/v1/edges', { body });
    secrets.set(name, enrolled.json.secret);
  }
  job = (await api.request('POST', '/v1/jobs', { body: { power: 4 } })).json.id;
});

async function makeToken(body: object) {
  const answer = await api.request('POST', '/v1/tokens', { body: { name: 'test', ...body } });
  expect(answer.status).toBe(201);
  return answer.json as { id: string; secret: string };
}

async function makeExpired(): Promise<string> {
  const { id, secret, hash } = newSecret(Date.now());
  await api.stores.tokens.create({
    id,
    hash,
    name: 'expired',
    scopes: ['jobs:read'],
    pool: null,
    queue: null,
    edge: null,
    edges: null,
    usesLeft: null,
    createdAtMs: 0,
    createdBy: 'test',
    expiresAtMs: Date.now() - 1,
  });
  return secret;
}

const strangers = ['none', 'bad', 'expired', 'revoked'] as const;
const callers = [...strangers, ...scopes, 'own-edge', 'other-edge'] as const;
type CallerName = (typeof callers)[number];

/** `passed`: the gate let it through, whatever the route then made of an empty request. */
function expected(route: Route, caller: CallerName): 401 | 403 | 'passed' {
  const { access } = route;
  if (access === null) return 'passed';
  if ((strangers as readonly string[]).includes(caller)) return 401;
  if (caller === 'own-edge') return access.edge ? 'passed' : 403;
  if (caller === 'other-edge') {
    return access.edge && !route.path.includes('{name}') ? 'passed' : 403;
  }
  if (access.scope === 'any') return 'passed';
  if (access.scope === null) return 403;
  return caller === access.scope || caller === 'fleet:admin' ? 'passed' : 403;
}

const isGate = (answer: { status: number; json: { detail?: string } | null }) =>
  answer.status === 401 ||
  (answer.status === 403 && answer.json === null) ||
  answer.json?.detail === 'This token may not do this.';

describe.each(routes.map((route) => [routeKeyOf(route), route] as const))('%s', (_, route) => {
  test.each(callers)('%s', async (caller) => {
    const path = route.path
      .replace('{name}', 'own-edge')
      .replace('/tokens/{id}', '/tokens/nobody')
      .replace('{id}', job)
      .replace('{chunk}', '0')
      .replace('{asset}', 'explorer.js');
    const token = { none: null, bad: 'bad-token-bad-token' }[caller as string];
    const answer = await api.request(route.method, path, {
      token: token === undefined ? secrets.get(caller)! : token,
      raw: '',
    });
    const verdict = isGate(answer) ? answer.status : 'passed';
    expect(verdict).toBe(expected(route, caller));
    if (verdict === 'passed') return;
    expect(answer.headers['content-type']).toBe('application/problem+json');
    // An answer to HEAD has no body.
    if (route.method === 'HEAD') return;
    expect(answer.json.requestId).toBe(answer.headers['x-request-id']);
  });
});

describe('two tenants', () => {
  const all: Scope[] = ['jobs:read', 'jobs:write', 'edges:read', 'edges:write', 'fleet:admin'];
  let red: string;
  let blue: string;
  let redJob: string;

  beforeAll(async () => {
    red = (await makeToken({ scopes: all, pool: 'red' })).secret;
    blue = (await makeToken({ scopes: all, pool: 'blue' })).secret;
    const body = { pool: 'red', power: 4 };
    redJob = (await api.request('POST', '/v1/jobs', { token: red, body })).json.id;
    const edge = { name: 'red-edge', pool: 'red', capacity: { power: 10 } };
    expect((await api.request('POST', '/v1/edges', { body: edge })).status).toBe(201);
  });

  test('see nothing of each other', async () => {
    const seen = async (path: string, token: string) =>
      (await api.request('GET', path, { token })).json.items.length;
    expect([await seen('/v1/jobs', red), await seen('/v1/jobs', blue)]).toEqual([1, 0]);
    expect([await seen('/v1/edges', red), await seen('/v1/edges', blue)]).toEqual([1, 0]);
    expect([await seen('/v1/pools', red), await seen('/v1/pools', blue)]).toEqual([1, 0]);
    const stats = (await api.request('GET', '/v1/stats', { token: blue })).json;
    const history = (await api.request('GET', '/v1/stats/history', { token: blue })).json;
    expect(history).toEqual({ minutes: [] });
    expect([stats.jobs.total, stats.edges.total, stats.cells]).toEqual([0, 0, []]);
    const graph = await api.request('POST', '/graphql', {
      token: blue,
      body: { query: `{job(id:"${redJob}"){id} edge(name:"red-edge"){name} jobs{nodes{id}}}` },
    });
    expect(graph.json.data).toEqual({ job: null, edge: null, jobs: { nodes: [] } });
  });

  test.each([
    ['GET', '/v1/jobs/JOB', 404],
    ['GET', '/v1/jobs/JOB/chunks', 404],
    ['GET', '/v1/jobs/JOB/events', 404],
    ['GET', '/v1/jobs/JOB/explain', 404],
    ['GET', '/v1/jobs/JOB/spec', 404],
    ['DELETE', '/v1/jobs/JOB', 404],
    ['POST', '/v1/jobs/JOB/retry', 404],
    ['GET', '/v1/edges/red-edge', 404],
    ['GET', '/v1/edges/red-edge/jobs', 404],
    ['POST', '/v1/edges/red-edge/drain', 404],
    ['DELETE', '/v1/edges/red-edge', 404],
    ['GET', '/v1/jobs?pool=red', 403],
    ['GET', '/v1/edges?pool=red', 403],
    ['GET', '/v1/pools/red', 404],
    ['GET', '/v1/audit', 403],
  ])('%s %s of the other is %s', async (method, path, status) => {
    const answer = await api.request(method, path.replace('JOB', redJob), { token: blue });
    expect(answer.status).toBe(status);
  });

  test('cannot act for each other, nor make tokens beyond their limits', async () => {
    const submit = { token: blue, body: { pool: 'red', power: 4 } };
    expect((await api.request('POST', '/v1/jobs', submit)).status).toBe(403);
    expect((await api.request('POST', '/v1/plan', submit)).status).toBe(403);
    expect((await api.request('PUT', `/v1/jobs/${redJob}`, submit)).status).toBe(403);
    const wide = { token: blue, body: { name: 'wide', scopes: ['jobs:read'] } };
    expect((await api.request('POST', '/v1/tokens', wide)).status).toBe(403);
    const tokens = (await api.request('GET', '/v1/tokens', { token: blue })).json.items;
    expect(tokens.map((it: { pool: string }) => it.pool)).toEqual(['blue']);
  });

  test('cannot change a queue, which goes through the pools of all', async () => {
    const body = { strict: true, quota: 1 };
    for (const name of ['default', 'fresh']) {
      const answer = await api.request('PUT', `/v1/queues/${name}`, { token: blue, body });
      expect([answer.status, answer.json.code]).toEqual([403, 'forbidden']);
    }
    const queue = (await api.request('GET', '/v1/queues/default')).json;
    expect(queue).toEqual({ name: 'default', weight: 1, strict: false, quota: null });
  });

  test('a token may hold all scopes together, and is short-lived when it enrols', async () => {
    const scopes = [...all, 'edges:enrol'];
    const made = await api.request('POST', '/v1/tokens', { body: { name: 'all', scopes } });
    expect(made.status).toBe(201);
    expect(Date.parse(made.json.expiresAt)).toBeLessThan(Date.now() + 3_700_000);
    const token = made.json.secret;
    const body = { name: 'enrolled-by-all', capacity: { power: 1 } };
    expect((await api.request('POST', '/v1/edges', { token, body })).status).toBe(201);
    expect((await api.request('GET', '/v1/jobs', { token })).status).toBe(200);
  });

  test('what was changed is in the audit trail, and no secret is in any list', async () => {
    const trail = (await api.request('GET', '/v1/audit?limit=500')).json.items;
    const actions = new Set(trail.map((it: { action: string }) => it.action));
    for (const action of ['token-created', 'token-revoked', 'edge-enrolled']) {
      expect(actions).toContain(action);
    }
    expect(trail[0]).toMatchObject({ by: expect.stringContaining('token:') });
    const listed = await api.request('GET', '/v1/tokens?limit=500');
    for (const secret of secrets.values()) expect(listed.text).not.toContain(secret);
    expect(listed.text).not.toContain('secret');
  });
});
