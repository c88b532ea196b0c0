import type { Access } from '../model/caller.ts';
import type { Scope } from './scopes.ts';

/**
 * Every address of the HTTP API: which function answers it and what it asks of its caller. The
 * template, the functions and the OpenAPI document are all made from this table, so that none of
 * them can know a route the others do not.
 */
export type ApiFunction =
  | 'public'
  | 'jobs-read'
  | 'jobs-write'
  | 'jobspecs'
  | 'edges'
  | 'enrol'
  | 'clusters'
  | 'edge-link'
  | 'live'
  | 'files'
  | 'schedules'
  | 'webhooks'
  | 'admin'
  | 'graphql';

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export type Route = {
  readonly operation: string;
  readonly method: Method;
  readonly path: string;
  readonly function: ApiFunction;
  /** `null`: anybody may call it. */
  readonly access: Access | null;
};

const tokens = (scope: Scope): Access => ({ scope, edge: false });
const edgesAnd = (scope: Scope | null): Access => ({ scope, edge: true });

function group(
  name: ApiFunction,
  rows: readonly (readonly [Method, string, string, Access | null])[],
): Route[] {
  return rows.map(([method, path, operation, access]) => ({
    operation,
    method,
    path,
    function: name,
    access,
  }));
}

export const routes: readonly Route[] = [
  ...group('public', [
    ['GET', '/v1/health', 'getHealth', null],
    ['GET', '/openapi.json', 'getOpenApi', null],
    ['GET', '/docs', 'getDocs', null],
    ['GET', '/docs/{asset}', 'getDocsAsset', null],
  ]),
  ...group('jobs-read', [
    ['GET', '/v1/jobs', 'listJobs', tokens('jobs:read')],
    ['GET', '/v1/jobs/{id}', 'getJob', tokens('jobs:read')],
    ['GET', '/v1/jobs/{id}/executions', 'listExecutions', tokens('jobs:read')],
    ['GET', '/v1/jobs/{id}/chunks', 'listChunks', tokens('jobs:read')],
    ['GET', '/v1/jobs/{id}/chunks/{chunk}', 'getChunk', tokens('jobs:read')],
    ['GET', '/v1/jobs/{id}/events', 'listEvents', tokens('jobs:read')],
    ['GET', '/v1/jobs/{id}/explain', 'explainJob', tokens('jobs:read')],
    ['GET', '/v1/jobs/{id}/generations', 'listGenerations', tokens('jobs:read')],
    ['POST', '/v1/plan', 'planJob', tokens('jobs:read')],
    ['GET', '/v1/stats', 'getStats', tokens('jobs:read')],
    ['GET', '/v1/stats/history', 'getStatsHistory', tokens('jobs:read')],
  ]),
  ...group('jobs-write', [
    ['POST', '/v1/jobs', 'submitJob', tokens('jobs:write')],
    ['POST', '/v1/jobs/batch', 'submitJobs', tokens('jobs:write')],
    ['PUT', '/v1/jobs/{id}', 'putJob', tokens('jobs:write')],
    ['PATCH', '/v1/jobs/{id}', 'patchJob', tokens('jobs:write')],
    ['DELETE', '/v1/jobs/{id}', 'cancelJob', tokens('jobs:write')],
    ['POST', '/v1/jobs/{id}/retry', 'retryJob', tokens('jobs:write')],
    ['POST', '/v1/jobs/{id}/rollback', 'rollbackJob', tokens('jobs:write')],
    ['POST', '/v1/jobs/{id}/restart', 'restartJob', tokens('jobs:write')],
    ['DELETE', '/v1/jobs/{id}/chunks', 'cancelChunks', tokens('jobs:write')],
    ['DELETE', '/v1/jobs/{id}/chunks/{chunk}', 'stopChunk', tokens('jobs:write')],
  ]),
  ...group('jobspecs', [
    ['POST', '/v1/jobspecs', 'submitJobspec', tokens('jobs:write')],
    ['POST', '/v1/jobspecs/satisfy', 'satisfyJobspec', tokens('jobs:read')],
    ['GET', '/v1/jobspecs', 'listJobspecs', tokens('jobs:read')],
    ['GET', '/v1/jobspecs/{id}', 'getJobspec', tokens('jobs:read')],
    ['DELETE', '/v1/jobspecs/{id}', 'cancelJobspec', tokens('jobs:write')],
    ['POST', '/v1/jobspecs/{id}/retry', 'retryJobspec', tokens('jobs:write')],
    ['POST', '/v1/jobspecs/{id}/explain', 'explainJobspec', tokens('jobs:read')],
    ['GET', '/v1/jobspecs/{id}/graph', 'graphJobspec', tokens('jobs:read')],
  ]),
  ...group('edges', [
    ['GET', '/v1/edges', 'listEdges', tokens('edges:read')],
    ['GET', '/v1/edges/{name}', 'getEdge', edgesAnd('edges:read')],
    ['GET', '/v1/edges/{name}/jobs', 'listEdgeJobs', tokens('edges:read')],
    ['PATCH', '/v1/edges/{name}', 'patchEdge', tokens('edges:write')],
    ['POST', '/v1/edges/{name}/drain', 'drainEdge', tokens('edges:write')],
  ]),
  ...group('enrol', [
    ['POST', '/v1/edges', 'enrolEdge', edgesAnd('edges:enrol')],
    ['DELETE', '/v1/edges/{name}', 'removeEdge', edgesAnd('edges:write')],
  ]),
  ...group('clusters', [
    ['GET', '/v1/edges/{name}/nodes', 'getNodes', edgesAnd('edges:read')],
    ['PUT', '/v1/edges/{name}/nodes', 'putNodes', edgesAnd('edges:write')],
    ['POST', '/v1/edges/{name}/nodes:upload', 'uploadNodes', edgesAnd('edges:write')],
    ['DELETE', '/v1/edges/{name}/nodes', 'removeNodes', edgesAnd('edges:write')],
    ['GET', '/v1/edges/{name}/subsystems', 'listSubsystems', edgesAnd('edges:read')],
    ['GET', '/v1/edges/{name}/subsystems/{subsystem}', 'getSubsystem', edgesAnd('edges:read')],
    ['PUT', '/v1/edges/{name}/subsystems/{subsystem}', 'putSubsystem', edgesAnd('edges:write')],
    [
      'DELETE',
      '/v1/edges/{name}/subsystems/{subsystem}',
      'removeSubsystem',
      edgesAnd('edges:write'),
    ],
    ['GET', '/v1/edges/{name}/state', 'getState', edgesAnd('edges:read')],
    ['PUT', '/v1/edges/{name}/state', 'putState', edgesAnd('edges:write')],
    ['GET', '/v1/edges/{name}/offers', 'listOffers', edgesAnd('edges:read')],
    ['POST', '/v1/edges/{name}/accept', 'acceptOffers', edgesAnd(null)],
    ['POST', '/v1/edges/{name}/release', 'releaseWork', edgesAnd(null)],
    ['POST', '/v1/edges/{name}/submit-tokens', 'createSubmitToken', edgesAnd('edges:write')],
  ]),
  ...group('edge-link', [
    ['GET', '/v1/edges/{name}/work', 'getWork', edgesAnd(null)],
    ['POST', '/v1/edges/{name}/report', 'putReport', edgesAnd(null)],
    ['GET', '/v1/jobs/{id}/spec', 'getSpec', edgesAnd('jobs:read')],
    ['GET', '/v1/jobs/{id}/params', 'getParams', edgesAnd('jobs:read')],
    ['PUT', '/v1/jobs/{id}/chunks/{chunk}/output', 'putOutput', edgesAnd(null)],
    ['PUT', '/v1/jobs/{id}/chunks/{chunk}/files', 'putResult', edgesAnd(null)],
  ]),
  ...group('live', [
    ['GET', '/v1/jobs/{id}/chunks/{chunk}/output', 'getOutput', tokens('jobs:read')],
    ['GET', '/v1/events', 'listFleetEvents', tokens('jobs:read')],
    ['GET', '/v1/events/stream', 'streamFleetEvents', tokens('jobs:read')],
  ]),
  ...group('files', [
    ['POST', '/v1/files', 'storeFile', tokens('jobs:write')],
    ['POST', '/v1/files/uploads', 'storeFiles', tokens('jobs:write')],
    ['POST', '/v1/files/missing', 'findMissing', tokens('jobs:write')],
    ['POST', '/v1/files/addresses', 'findAddresses', edgesAnd('jobs:read')],
    ['HEAD', '/v1/files/{sha256}', 'headFile', edgesAnd('jobs:read')],
    ['GET', '/v1/files/{sha256}', 'getFile', edgesAnd('jobs:read')],
    ['GET', '/v1/jobs/{id}/files', 'listResults', tokens('jobs:read')],
    ['GET', '/v1/jobs/{id}/files/{path+}', 'getResult', tokens('jobs:read')],
    ['POST', '/v1/jobs/{id}/files/uploads', 'storeResults', edgesAnd(null)],
  ]),
  ...group('webhooks', [
    ['POST', '/v1/webhooks', 'createWebhook', tokens('jobs:write')],
    ['GET', '/v1/webhooks', 'listWebhooks', tokens('jobs:read')],
    ['GET', '/v1/webhooks/{id}', 'getWebhook', tokens('jobs:read')],
    ['DELETE', '/v1/webhooks/{id}', 'removeWebhook', tokens('jobs:write')],
  ]),
  ...group('schedules', [
    ['POST', '/v1/schedules', 'createSchedule', tokens('jobs:write')],
    ['GET', '/v1/schedules', 'listSchedules', tokens('jobs:read')],
    ['GET', '/v1/schedules/{name}', 'getSchedule', tokens('jobs:read')],
    ['PATCH', '/v1/schedules/{name}', 'patchSchedule', tokens('jobs:write')],
    ['DELETE', '/v1/schedules/{name}', 'removeSchedule', tokens('jobs:write')],
    ['POST', '/v1/schedules/{name}/run', 'runSchedule', tokens('jobs:write')],
    ['GET', '/v1/schedules/{name}/runs', 'listScheduleRuns', tokens('jobs:read')],
  ]),
  ...group('admin', [
    ['GET', '/v1/pools', 'listPools', tokens('edges:read')],
    ['GET', '/v1/pools/{name}', 'getPool', tokens('edges:read')],
    ['PUT', '/v1/pools/{name}', 'putPool', tokens('fleet:admin')],
    ['DELETE', '/v1/pools/{name}', 'removePool', tokens('fleet:admin')],
    ['GET', '/v1/queues', 'listQueues', tokens('jobs:read')],
    ['GET', '/v1/queues/{name}', 'getQueue', tokens('jobs:read')],
    ['PUT', '/v1/queues/{name}', 'putQueue', tokens('fleet:admin')],
    ['DELETE', '/v1/queues/{name}', 'removeQueue', tokens('fleet:admin')],
    ['GET', '/v1/tokens', 'listTokens', tokens('fleet:admin')],
    ['POST', '/v1/tokens', 'createToken', tokens('fleet:admin')],
    ['DELETE', '/v1/tokens/{id}', 'revokeToken', tokens('fleet:admin')],
    ['GET', '/v1/audit', 'listAudit', tokens('fleet:admin')],
  ]),
  ...group('graphql', [['POST', '/graphql', 'postGraphql', { scope: 'any', edge: false }]]),
];

export const routeKeyOf = (route: Route): string => `${route.method} ${route.path}`;
