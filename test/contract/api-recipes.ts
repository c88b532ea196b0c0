import { createHash } from 'node:crypto';
import type { Route } from '../../core/contract/routes.ts';
import type { ApiAnswer, ApiRequest, ApiStage } from '../lambdas/api/api-stage.ts';

/**
 * How to bring about every documented answer of every operation: a stage with one of each thing,
 * requests that succeed by operation and status, and requests that fail by status alone.
 */
export type Things = {
  readonly openJob: string;
  readonly cancelledJob: string;
  readonly edge: string;
  readonly edgeSecret: string;
  readonly enrolOnly: string;
  readonly readOnly: string;
};

export async function prepareThings(api: ApiStage): Promise<Things> {
  const post = async (path: string, body: unknown) =>
    (await api.request('POST', path, { body })).json;
  const edge = await post('/v1/edges', { name: 'edge-1', capacity: { power: 250 } });
  const report = { b: 'boot', e: 0, n: 1, f: 250, w: {} };
  await api.request('POST', '/v1/edges/edge-1/report', { token: edge.secret, body: report });
  const openJob = await post('/v1/jobs', { power: 200, chunks: 2 });
  const cancelledJob = await post('/v1/jobs', { power: 4 });
  await api.request('DELETE', `/v1/jobs/${cancelledJob.id}`);
  await api.settle();
  const text = { token: edge.secret, raw: 'printed', headers: { 'content-type': 'text/plain' } };
  await api.request('PUT', `/v1/jobs/${openJob.id}/chunks/0/output`, text);
  await api.request('PUT', '/v1/pools/known', { body: {} });
  await api.request('PUT', '/v1/queues/known', { body: {} });
  const token = async (scope: string) =>
    (await post('/v1/tokens', { name: scope, scopes: [scope] })).secret as string;
  return {
    openJob: openJob.id,
    cancelledJob: cancelledJob.id,
    edge: 'edge-1',
    edgeSecret: edge.secret,
    enrolOnly: await token('edges:enrol'),
    readOnly: await token('jobs:read'),
  };
}

type Make = (things: Things, api: ApiStage) => Promise<ApiAnswer> | ApiAnswer;

const call =
  (method: string, path: string, request: ApiRequest = {}): Make =>
  (things, api) =>
    api.request(method, path.replace('JOB', things.openJob), request);

const asEdge =
  (method: string, path: string, request: ApiRequest = {}): Make =>
  (things, api) =>
    api.request(method, path.replace('JOB', things.openJob), {
      ...request,
      token: things.edgeSecret,
    });

/** Reads, and reads again with the tag that came. */
const unchanged =
  (path: string, as: typeof call = call): Make =>
  async (things, api) => {
    const { headers } = await as('GET', path)(things, api);
    return as('GET', path, { headers: { 'if-none-match': headers.etag ?? '' } })(things, api);
  };

let fresh = 0;
const unused = (): string => `fresh-${++fresh}`;

const jobspec = { version: 1, resources: { one: { type: 'core' } }, tasks: [] as object[] };
jobspec.tasks.push({ name: 'a', command: ['true'], resources: 'one' });

export const successes: Readonly<Record<string, Readonly<Record<number, Make>>>> = {
  submitJob: { 202: call('POST', '/v1/jobs', { body: {} }) },
  putJob: {
    202: (_, api) => api.request('PUT', `/v1/jobs/${unused()}`, { body: { power: 5 } }),
    200: async (_, api) => {
      const path = `/v1/jobs/${unused()}`;
      await api.request('PUT', path, { body: { power: 5 } });
      return api.request('PUT', path, { body: { power: 5 } });
    },
  },
  patchJob: { 200: call('PATCH', '/v1/jobs/JOB', { body: { priority: 60 } }) },
  cancelJob: {
    202: async (_, api) => {
      const { json } = await api.request('POST', '/v1/jobs', { body: {} });
      return api.request('DELETE', `/v1/jobs/${json.id}`);
    },
    200: (things, api) => api.request('DELETE', `/v1/jobs/${things.cancelledJob}`),
    204: async (_, api) => {
      const { json } = await api.request('POST', '/v1/jobs', { body: {} });
      await api.request('DELETE', `/v1/jobs/${json.id}`);
      await api.settle();
      return api.request('DELETE', `/v1/jobs/${json.id}?purge=true`);
    },
  },
  retryJob: { 202: retryFailed },
  submitJobspec: { 202: call('POST', '/v1/jobspecs', { body: jobspec }) },
  listJobs: { 200: call('GET', '/v1/jobs') },
  getJob: {
    200: call('GET', '/v1/jobs/JOB'),
    304: unchanged('/v1/jobs/JOB'),
  },
  listExecutions: { 200: call('GET', '/v1/jobs/JOB/executions') },
  listChunks: { 200: call('GET', '/v1/jobs/JOB/chunks') },
  getChunk: {
    200: call('GET', '/v1/jobs/JOB/chunks/0'),
    304: unchanged('/v1/jobs/JOB/chunks/0'),
  },
  getOutput: { 200: call('GET', '/v1/jobs/JOB/chunks/0/output') },
  putOutput: {
    204: asEdge('PUT', '/v1/jobs/JOB/chunks/1/output', {
      raw: 'more',
      headers: { 'content-type': 'text/plain' },
    }),
  },
  listEvents: { 200: call('GET', '/v1/jobs/JOB/events') },
  explainJob: { 200: call('GET', '/v1/jobs/JOB/explain') },
  getSpec: {
    200: asEdge('GET', '/v1/jobs/JOB/spec'),
    304: unchanged('/v1/jobs/JOB/spec', asEdge),
  },
  planJob: { 200: call('POST', '/v1/plan', { body: { power: 40 } }) },
  enrolEdge: {
    201: (_, api) =>
      api.request('POST', '/v1/edges', { body: { name: unused(), capacity: { power: 5 } } }),
  },
  listEdges: { 200: call('GET', '/v1/edges') },
  getEdge: { 200: call('GET', '/v1/edges/edge-1'), 304: unchanged('/v1/edges/edge-1') },
  patchEdge: { 200: call('PATCH', '/v1/edges/edge-1', { body: { labels: { a: 'b' } } }) },
  drainEdge: { 202: spareEdge((name) => ['POST', `/v1/edges/${name}/drain`]) },
  removeEdge: { 202: spareEdge((name) => ['DELETE', `/v1/edges/${name}`]) },
  listEdgeJobs: { 200: call('GET', '/v1/edges/edge-1/jobs') },
  getWork: {
    200: asEdge('GET', '/v1/edges/edge-1/work'),
    304: unchanged('/v1/edges/edge-1/work', asEdge),
  },
  putReport: {
    202: asEdge('POST', '/v1/edges/edge-1/report', {
      body: { b: 'boot', e: 1, n: 99, f: 50, w: {} },
    }),
  },
  listPools: { 200: call('GET', '/v1/pools') },
  getPool: { 200: call('GET', '/v1/pools/known'), 304: unchanged('/v1/pools/known') },
  putPool: {
    200: call('PUT', '/v1/pools/known', { body: { description: 'known' } }),
    201: (_, api) => api.request('PUT', `/v1/pools/${unused()}`, { body: {} }),
  },
  listQueues: { 200: call('GET', '/v1/queues') },
  getQueue: { 200: call('GET', '/v1/queues/known'), 304: unchanged('/v1/queues/known') },
  putQueue: {
    200: call('PUT', '/v1/queues/known', { body: { weight: 2 } }),
    201: (_, api) => api.request('PUT', `/v1/queues/${unused()}`, { body: {} }),
  },
  getStats: { 200: call('GET', '/v1/stats') },
  getStatsHistory: { 200: call('GET', '/v1/stats/history') },
  listTokens: { 200: call('GET', '/v1/tokens') },
  createToken: {
    201: call('POST', '/v1/tokens', { body: { name: 'ci', scopes: ['jobs:read'] } }),
  },
  revokeToken: {
    204: async (_, api) => {
      const body = { name: 'short', scopes: ['jobs:read'] };
      const { json } = await api.request('POST', '/v1/tokens', { body });
      return api.request('DELETE', `/v1/tokens/${json.id}`);
    },
  },
  listAudit: { 200: call('GET', '/v1/audit') },
  postGraphql: { 200: call('POST', '/graphql', { body: { query: '{stats{jobs{total}}}' } }) },
  getHealth: { 200: call('GET', '/v1/health', { token: null }) },
  getOpenApi: { 200: call('GET', '/openapi.json', { token: null }) },
  getDocs: { 200: call('GET', '/docs', { token: null }) },
  getDocsAsset: { 200: call('GET', '/docs/explorer.js', { token: null }) },
};

function spareEdge(request: (name: string) => [string, string]): Make {
  return async (_, api) => {
    const name = unused();
    await api.request('POST', '/v1/edges', { body: { name, capacity: { power: 5 } } });
    return api.request(...request(name));
  };
}

async function retryFailed(_: Things, api: ApiStage): Promise<ApiAnswer> {
  const pool = unused();
  const edge = { name: `${pool}-edge`, pool, capacity: { power: 5 } };
  const { secret } = (await api.request('POST', '/v1/edges', { body: edge })).json;
  const tell = (report: object) =>
    api.request('POST', `/v1/edges/${edge.name}/report`, {
      token: secret,
      body: { b: 'boot', e: 0, f: 5, w: {}, ...report },
    });
  await tell({ n: 1 });
  const body = { pool, retries: { attempts: 1 } };
  const { id } = (await api.request('POST', '/v1/jobs', { body })).json;
  await api.settle();
  await tell({ n: 2, e: 1, w: { [id]: { d: '', x: { 0: 7 }, a: '' } } });
  await api.settle();
  return api.request('POST', `/v1/jobs/${id}/retry`);
}

const ifMatch = { 'if-match': '"999999-nothing"' };

/** A request that fails with this status, for operations that document it. */
export function failure(
  route: Route,
  status: number,
  things: Things,
  api: ApiStage,
): Promise<ApiAnswer> {
  const path = pathOf(route, things, status === 404);
  const send = (request: ApiRequest, at = path) => api.request(route.method, at, request);
  const edgeOnly = route.access?.scope === null ? { token: things.edgeSecret } : {};
  switch (status) {
    case 401:
      return send({ token: null });
    case 403:
      return send({ token: forbiddenToken(route, things) });
    case 404:
      return send({ ...edgeOnly, ...validBody(route) });
    case 412:
      return send({ ...validBody(route), headers: ifMatch });
    case 413:
      return send({ ...edgeOnly, raw: `"${'x'.repeat(300_000)}"`, ...textual(route) });
    case 415:
      return send({ ...edgeOnly, raw: '{}', headers: { 'content-type': 'image/png' } });
    case 409:
    case 422:
      return clash(route, status, things, api);
    default:
      return send({ ...edgeOnly }, `${path}?nonsense=1`);
  }
}

function forbiddenToken(route: Route, things: Things): string {
  if (route.access?.scope === 'any') return things.edgeSecret;
  return route.access?.scope === 'edges:enrol' ? things.readOnly : things.enrolOnly;
}

function textual(route: Route): ApiRequest {
  return route.operation === 'putOutput' ? { headers: { 'content-type': 'text/plain' } } : {};
}

const bodies: Readonly<Record<string, unknown>> = {
  putJob: { power: 5 },
  patchJob: { priority: 1 },
  patchEdge: { labels: {} },
  drainEdge: {},
  putPool: {},
  putQueue: {},
};

function validBody(route: Route): ApiRequest {
  if (route.operation === 'putOutput') return { raw: 'x', ...textual(route) };
  const body = bodies[route.operation];
  return body === undefined ? {} : { body };
}

function pathOf(route: Route, things: Things, missing: boolean): string {
  const named = route.path.includes('/pools/') || route.path.includes('/queues/');
  const known = named ? 'known' : things.edge;
  return route.path
    .replace('{name}', missing ? nowhere(route) : known)
    .replace('/tokens/{id}', '/tokens/nobody')
    .replace('{id}', missing ? 'nobody' : things.openJob)
    .replace('{chunk}', '0')
    .replace('{asset}', 'nothing.js');
}

/** For what can be created by naming it, only a name that nothing can have is missing. */
const nowhere = (route: Route): string => (route.method === 'PUT' ? 'No_Name' : 'nobody');

/** 409 and 422: what an operation says of a clash, or else of a reused key. */
async function clash(
  route: Route,
  status: number,
  things: Things,
  api: ApiStage,
): Promise<ApiAnswer> {
  const cancelled = `/v1/jobs/${things.cancelledJob}`;
  if (status === 409) {
    switch (route.operation) {
      case 'putJob': {
        const path = `/v1/jobs/${unused()}`;
        await api.request('PUT', path, { body: { power: 5 } });
        return api.request('PUT', path, { body: { power: 6 } });
      }
      case 'patchJob':
        return api.request('PATCH', cancelled, { body: { priority: 1 } });
      case 'cancelJob':
        return api.request('DELETE', `/v1/jobs/${things.openJob}?purge=true`);
      case 'retryJob':
        return api.request('POST', `${cancelled}/retry`);
    }
  }
  const body = { dependsOn: [things.cancelledJob] };
  if (route.operation === 'putJob') return api.request('PUT', `/v1/jobs/${unused()}`, { body });
  if (route.operation === 'planJob') return api.request('POST', '/v1/plan', { body });
  return keyClash(route, status, api);
}

const created: Readonly<Record<string, unknown>> = {
  submitJob: { power: 9 },
  submitJobspec: jobspec,
  enrolEdge: { name: 'clash', capacity: { power: 5 } },
  createToken: { name: 'clash', scopes: ['jobs:read'] },
};

/** A key whose first request is still on its way: with the same body 409, with another one 422. */
async function keyClash(route: Route, status: number, api: ApiStage): Promise<ApiAnswer> {
  const key = unused();
  const raw = JSON.stringify(created[route.operation]);
  const digest = createHash('sha256')
    .update(`${route.method} ${route.path}\n`)
    .update(status === 409 ? raw : 'another')
    .digest('base64url');
  await api.stores.idempotency.claim({ owner: 'token:admin', key, digest }, Date.now(), 0);
  return api.request(route.method, route.path, { raw, headers: { 'idempotency-key': key } });
}
