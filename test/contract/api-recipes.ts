import type { Route } from '../../core/contract/routes.ts';
import type { ApiAnswer, ApiRequest, ApiStage } from '../lambdas/api/api-stage.ts';
import { cancelSuccesses } from './cancel-recipes.ts';
import {
  clusterClashes,
  clusterSuccesses,
  ioOnTwo,
  makeCluster,
  twoNodes,
} from './cluster-recipes.ts';
import { eventSuccesses, readBehindTheLog } from './event-recipes.ts';
import { retryFailed } from './failed-job.ts';
import * as files from './file-recipes.ts';
import {
  jobspec,
  jobspecAgain,
  ofJobspec,
  retryFailedJobspec,
  submittedJobspec,
} from './jobspec-recipes.ts';
import { keyClash } from './key-clash.ts';
import { ownPath } from './own-things.ts';
import { scheduleClash, scheduleOfNothing, scheduleSuccesses } from './schedule-recipes.ts';
import { isOfService, ofService, serviceSuccesses } from './service-recipes.ts';
import { putAndRemove, spareEdge } from './spare-things.ts';
import { oneWebhookTooMany, webhookSuccesses } from './webhook-recipes.ts';

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
  const facts = { sendsFiles: true };
  const edge = await post('/v1/edges', { name: 'edge-1', capacity: { power: 250 }, facts });
  await makeCluster(api, 'cluster-1');
  const report = { b: 'boot', e: 0, n: 1, f: 250, w: {} };
  await api.request('POST', '/v1/edges/edge-1/report', { token: edge.secret, body: report });
  const outputs = { paths: ['*.csv'] };
  const openJob = await post('/v1/jobs', { power: 200, chunks: 2, outputs });
  const cancelledJob = await post('/v1/jobs', { power: 4 });
  await api.request('DELETE', `/v1/jobs/${cancelledJob.id}`);
  await api.settle();
  const text = { token: edge.secret, raw: 'printed', headers: { 'content-type': 'text/plain' } };
  await api.request('PUT', `/v1/jobs/${openJob.id}/chunks/0/output`, text);
  await files.storeSentFile(api);
  await files.storeSentResult(api, openJob.id, edge.secret);
  await api.request('PUT', '/v1/pools/known', { body: {} });
  // It has the name that paths get.
  await post('/v1/schedules', { name: 'edge-1', cron: '@daily', job: {} });
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

export const successes: Readonly<Record<string, Readonly<Record<number, Make>>>> = {
  ...{ ...scheduleSuccesses, ...webhookSuccesses },
  ...{ ...serviceSuccesses, ...cancelSuccesses },
  getParams: { 200: call('GET', '/v1/jobs/JOB/params?chunks=0-1') },
  submitJob: { 202: call('POST', '/v1/jobs', { body: {} }) },
  submitJobs: { 202: call('POST', '/v1/jobs/batch', { body: { jobs: [{}, { power: 7 }] } }) },
  putJob: {
    202: (_, api) => api.request('PUT', `/v1/jobs/${unused()}`, { body: { power: 5 } }),
    200: async (_, api) => {
      const path = `/v1/jobs/${unused()}`;
      await api.request('PUT', path, { body: { power: 5 } });
      return api.request('PUT', path, { body: { power: 5 } });
    },
  },
  patchJob: { 200: call('PATCH', '/v1/jobs/JOB', { body: { priority: 60 } }) },
  retryJob: { 202: (_, api) => retryFailed(api, unused()) },
  submitJobspec: {
    202: call('POST', '/v1/jobspecs', { body: jobspec }),
    200: call('POST', '/v1/jobspecs', { body: { jobspec, satisfyOnly: true } }),
  },
  satisfyJobspec: { 200: call('POST', '/v1/jobspecs/satisfy', { body: jobspec }) },
  listJobspecs: { 200: call('GET', '/v1/jobspecs') },
  getJobspec: { 200: ofJobspec('GET', ''), 304: jobspecAgain },
  cancelJobspec: {
    202: ofJobspec('DELETE', ''),
    204: async (_, api) => {
      const id = await submittedJobspec(api);
      await api.request('DELETE', `/v1/jobspecs/${id}`);
      await api.settle();
      return api.request('DELETE', `/v1/jobspecs/${id}?purge=true`);
    },
  },
  retryJobspec: { 202: retryFailedJobspec },
  explainJobspec: { 200: ofJobspec('POST', '/explain') },
  graphJobspec: { 200: ofJobspec('GET', '/graph') },
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
  ...files.fileSuccesses,
  ...files.resultSuccesses,
  ...eventSuccesses,
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
  removePool: { 204: putAndRemove('pools') },
  removeQueue: { 204: putAndRemove('queues') },
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
  getHealth: { 200: call('GET', '/v1/health', { token: null }) },
  getOpenApi: { 200: call('GET', '/openapi.json', { token: null }) },
  getDocs: { 200: call('GET', '/docs', { token: null }) },
  getDocsAsset: { 200: call('GET', '/docs/explorer.js', { token: null }) },
  acceptOffers: { 200: asEdge('POST', '/v1/edges/edge-1/accept', { body: { jobs: ['nobody'] } }) },
  releaseWork: { 200: asEdge('POST', '/v1/edges/edge-1/release', { body: { jobs: ['nobody'] } }) },
  ...Object.fromEntries(
    Object.entries(clusterSuccesses).map(([operation, answers]) => [
      operation,
      Object.fromEntries(
        Object.entries(answers).map(([status, make]) => [status, onCluster(make)]),
      ),
    ]),
  ),
};

function onCluster(make: (api: ApiStage, name: string) => Promise<ApiAnswer>): Make {
  return async (_, api) => {
    const name = unused();
    await makeCluster(api, name);
    return make(api, name);
  };
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
      return ownPath(route, path, api).then((at) =>
        send({ ...validBody(route), headers: ifMatch }, at),
      );
    case 413:
      return send({ ...edgeOnly, raw: `"${'x'.repeat(300_000)}"`, ...textual(route) });
    case 415:
      return send({ ...edgeOnly, raw: '{}', headers: { 'content-type': 'image/png' } });
    case 410:
      return readBehindTheLog(api);
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
  patchSchedule: { paused: true },
  putJob: { power: 5 },
  patchJob: { priority: 1 },
  patchEdge: { labels: {} },
  drainEdge: {},
  putPool: {},
  findAddresses: { sha256: [files.sentFile.sha256], job: 'nobody' },
  putQueue: {},
  storeResults: { files: [files.newFile] },
  putResult: files.sentResult,
  putNodes: twoNodes,
  uploadNodes: { sha256: files.sentFile.sha256, bytes: 1 },
  putSubsystem: ioOnTwo,
  putState: {},
  createSubmitToken: { name: 'ci' },
};

function validBody(route: Route): ApiRequest {
  if (route.operation === 'putOutput') return { raw: 'x', ...textual(route) };
  const body = bodies[route.operation];
  return body === undefined ? {} : { body };
}

function pathOf(route: Route, things: Things, missing: boolean): string {
  const named = route.path.includes('/pools/') || route.path.includes('/queues/');
  const isCluster = route.function === 'clusters' && route.access?.scope !== null;
  const known = named ? 'known' : isCluster ? 'cluster-1' : things.edge;
  const query = route.operation === 'cancelChunks' ? '?ranges=0' : '';
  return `${route.path}${query}`
    .replace('{name}', missing ? nowhere(route) : known)
    .replace('/tokens/{id}', '/tokens/nobody')
    .replace('{id}', missing ? 'nobody' : things.openJob)
    .replace('{subsystem}', 'io')
    .replace('{chunk}', '0')
    .replace('{sha256}', missing ? files.newFile.sha256 : files.sentFile.sha256)
    .replace('{path+}', missing ? 'nothing.csv' : 'a.csv')
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
  if (status === 409 && /^create(Webhook|SubmitToken)$/.test(route.operation)) {
    return keyClash(route, status, things, api);
  }
  const onNew = clusterClashes[route.operation];
  if (onNew !== undefined) return onCluster(onNew)(things, api);
  if (isOfService(route)) return api.request(route.method, pathOf(route, things, false));
  if (route.operation === 'putResult') return files.lostResult(things, api);
  if (route.operation === 'createWebhook') return oneWebhookTooMany(api);
  if (route.operation === 'createSchedule') {
    return status === 409 ? scheduleClash(things, api) : scheduleOfNothing(api);
  }
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
      case 'cancelChunks':
        return ofService('DELETE', '/chunks?ranges=0')(things, api);
      case 'cancelJob':
        return api.request('DELETE', `/v1/jobs/${things.openJob}?purge=true`);
      case 'removePool':
        return api.request('DELETE', '/v1/pools/default');
      case 'retryJob':
        return api.request('POST', `${cancelled}/retry`);
      case 'cancelJobspec': {
        const id = await submittedJobspec(api);
        return api.request('DELETE', `/v1/jobspecs/${id}?purge=true`);
      }
      case 'retryJobspec':
        return api.request('POST', `/v1/jobspecs/${await submittedJobspec(api)}/retry`);
    }
  }
  const body = { dependsOn: [things.cancelledJob] };
  if (route.operation === 'putJob') return api.request('PUT', `/v1/jobs/${unused()}`, { body });
  if (route.operation === 'planJob') return api.request('POST', '/v1/plan', { body });
  return keyClash(route, status, things, api);
}
