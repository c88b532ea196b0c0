import { randomBytes } from 'node:crypto';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { createAuditStore } from '../../../adapters/dynamodb/audit-store.ts';
import { createCellStore } from '../../../adapters/dynamodb/cell-store.ts';
import { createInventory } from '../../../adapters/dynamodb/edge-inventory.ts';
import { createEdgesStore } from '../../../adapters/dynamodb/edges-store.ts';
import { createIdempotencyStore } from '../../../adapters/dynamodb/idempotency-store.ts';
import { createJobChanges } from '../../../adapters/dynamodb/job-changes.ts';
import { createJobStatistics } from '../../../adapters/dynamodb/job-stats.ts';
import { createJobsStore } from '../../../adapters/dynamodb/jobs-store.ts';
import { createPoolCells } from '../../../adapters/dynamodb/pool-cells.ts';
import { createPoolsStore } from '../../../adapters/dynamodb/pools-store.ts';
import { createQueuesStore } from '../../../adapters/dynamodb/queues-store.ts';
import { createRollupStore } from '../../../adapters/dynamodb/rollup-store.ts';
import type { Table } from '../../../adapters/dynamodb/table.ts';
import { createTokensStore } from '../../../adapters/dynamodb/tokens-store.ts';
import type { JobId } from '../../../core/names.ts';
import { type Route, routeKeyOf, routes } from '../../../core/wire/routes.ts';
import { serve } from '../../../lambdas/api/http/serve.ts';
import type { Ports } from '../../../lambdas/api/ports.ts';
import { bearerOf, identifyCaller } from '../../../lambdas/api/tokens/identify-caller.ts';
import { adminOperations } from '../../../lambdas/functions/api/admin.ts';
import { edgeLinkOperations } from '../../../lambdas/functions/api/edge-link.ts';
import { edgesOperations } from '../../../lambdas/functions/api/edges.ts';
import { enrolOperations } from '../../../lambdas/functions/api/enrol.ts';
import { graphqlOperations } from '../../../lambdas/functions/api/graphql.ts';
import { jobsReadOperations } from '../../../lambdas/functions/api/jobs-read.ts';
import { jobsWriteOperations } from '../../../lambdas/functions/api/jobs-write.ts';
import { jobspecsOperations } from '../../../lambdas/functions/api/jobspecs.ts';
import { publicOperations } from '../../../lambdas/functions/api/public.ts';
import { rollUpJobs } from '../../../lambdas/workers/rollup/roll-up-jobs.ts';
import { runPass } from '../../../lambdas/workers/schedule/run-pass.ts';
import { createQuietLog } from '../quiet-log.ts';
import { createFakeCloud, type FakeCloud } from './fake-cloud.ts';

/**
 * The whole API in one process: every handler behind the authorizer, as the gateway calls them, on
 * a real table. What lies beyond the table (things, outputs, queues) is played by `fake-cloud.ts`.
 */
export type ApiRequest = {
  readonly token?: string | null;
  readonly body?: unknown;
  /** Sent as it is, instead of `body` as JSON. */
  readonly raw?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
};

export type ApiAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly route: Route | null;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly json: any;
};

export type ApiStage = {
  readonly adminToken: string;
  readonly table: Table;
  readonly cloud: FakeCloud;
  request(method: string, path: string, request?: ApiRequest): Promise<ApiAnswer>;
  /** Lets passes and rollups run over everything once, as the stream would. */
  settle(): Promise<void>;
};

type Handler = ReturnType<typeof serve>;

export function createApiStage(table: Table): ApiStage {
  const adminToken = 'stage-admin-token-0123456789abcdef';
  const cloud = createFakeCloud();
  const handlers = handlersOn(table, cloud);
  const sources = {
    tokens: createTokensStore(table),
    adminToken: { read: async () => adminToken },
  };
  let requests = 0;
  return {
    adminToken,
    table,
    cloud,
    async request(method, path, request = {}) {
      const token = request.token === undefined ? adminToken : request.token;
      const event = eventOf(`stage-${++requests}`, method, path, { ...request, token });
      const found = routeOf(method, event.rawPath);
      if (found !== null) event.pathParameters = found.params;
      const route = found?.route ?? null;
      event.routeKey = route === null ? '$default' : routeKeyOf(route);
      if (route?.access != null) {
        const bearer = bearerOf(event.headers.authorization);
        const caller = await identifyCaller(bearer, Date.now(), sources);
        const context = { caller: caller === null ? '' : JSON.stringify(caller) };
        Object.assign(event.requestContext, { authorizer: { lambda: context } });
      }
      return answerOf(await handlers[route?.function ?? 'public']!(event), route);
    },
    settle: () => settle(table),
  };
}

function handlersOn(table: Table, cloud: FakeCloud): Readonly<Record<string, Handler>> {
  const pools = createPoolsStore(table);
  const deps: Ports = {
    jobs: createJobsStore(table),
    changes: createJobChanges(table),
    edges: createEdgesStore(table),
    pools,
    cells: createPoolCells(pools, { withEdges: 0, withoutEdges: 0 }),
    tokens: createTokensStore(table),
    audit: createAuditStore(table),
    idempotency: createIdempotencyStore(table),
    cellStore: createCellStore(table),
    inventory: createInventory(table),
    stats: createJobStatistics(table),
    queues: createQueuesStore(table),
    outputs: cloud.outputs,
    iot: cloud.controlPlane,
    shadows: cloud.shadows,
    removals: cloud.removals,
    random: { bytes: randomBytes },
    trustAnchor: 'stage authority',
    log: cloud.log,
  };
  return {
    public: serve('public', publicOperations, () => null, cloud.log),
    'jobs-read': serve('jobs-read', jobsReadOperations, () => deps, cloud.log),
    'jobs-write': serve('jobs-write', jobsWriteOperations, () => deps, cloud.log),
    jobspecs: serve('jobspecs', jobspecsOperations, () => deps, cloud.log),
    edges: serve('edges', edgesOperations, () => deps, cloud.log),
    enrol: serve('enrol', enrolOperations, () => deps, cloud.log),
    'edge-link': serve('edge-link', edgeLinkOperations, () => deps, cloud.log),
    admin: serve('admin', adminOperations, () => deps, cloud.log),
    graphql: serve('graphql', graphqlOperations, () => deps, cloud.log),
  };
}

function eventOf(
  requestId: string,
  method: string,
  path: string,
  request: ApiRequest,
): APIGatewayProxyEventV2 {
  const url = new URL(path, 'http://stage');
  const raw: string | Buffer | null =
    request.raw ?? (request.body === undefined ? null : JSON.stringify(request.body));
  const headers: Record<string, string> = { ...request.headers };
  if (request.token != null) headers.authorization = `Bearer ${request.token}`;
  if (raw !== null) headers['content-type'] ??= 'application/json';
  const body = Buffer.isBuffer(raw) ? raw.toString('base64') : raw;
  return {
    version: '2.0',
    routeKey: '',
    rawPath: url.pathname,
    rawQueryString: url.search.slice(1),
    headers,
    queryStringParameters: Object.fromEntries(url.searchParams),
    isBase64Encoded: Buffer.isBuffer(raw),
    ...(body === null ? {} : { body }),
    requestContext: {
      requestId,
      http: { method, path: url.pathname, protocol: 'HTTP/1.1', sourceIp: '::1', userAgent: '' },
    } as APIGatewayProxyEventV2['requestContext'],
  };
}

export function routeOf(
  method: string,
  path: string,
): { readonly route: Route; readonly params: Record<string, string> } | null {
  const given = path.split('/');
  for (const route of routes) {
    const wanted = route.path.split('/');
    if (route.method !== method || wanted.length !== given.length) continue;
    const params: Record<string, string> = {};
    const fits = wanted.every((part, at) => {
      const name = /^\{(\w+)\}$/.exec(part)?.[1];
      if (name === undefined) return part === given[at];
      params[name] = decoded(given[at]!);
      return given[at] !== '';
    });
    if (fits) return { route, params };
  }
  return null;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function answerOf(answer: Awaited<ReturnType<Handler>>, route: Route | null): ApiAnswer {
  const headers = Object.fromEntries(
    Object.entries(answer.headers ?? {}).map(([name, value]) => [name, String(value)]),
  );
  const text = answer.body ?? '';
  const isJson = headers['content-type']?.includes('json') === true && text !== '';
  return {
    status: answer.statusCode ?? 0,
    headers,
    text,
    route,
    json: isJson ? JSON.parse(text) : null,
  };
}

async function settle(table: Table): Promise<void> {
  const log = createQuietLog();
  const clock = { nowMs: Date.now };
  const store = createCellStore(table);
  const shadows = { write: async () => {} };
  const timers = { lookAgain: async () => {} };
  const cells = await createPoolsStore(table).allCells();
  const jobs = new Set<JobId>();
  for (const id of cells) {
    for (const job of (await store.load(id))?.jobs.keys() ?? []) jobs.add(job);
    await runPass({ store, shadows, timers, clock, log }, id);
  }
  await rollUpJobs({ store: createRollupStore(table), clock, log }, jobs);
  const failed = log.lines.filter((line) => line.level === 'error');
  if (failed.length > 0) throw new Error(JSON.stringify(failed));
}
