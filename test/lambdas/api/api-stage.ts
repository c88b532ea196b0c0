import { randomBytes } from 'node:crypto';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { createPoolCells } from '../../../adapters/dynamodb/fleet/pool-cells.ts';
import { type Route, routeKeyOf, routes } from '../../../core/contract/routes.ts';
import type { JobId } from '../../../core/model/names.ts';
import type { People } from '../../../core/ports/people.ts';
import type { Randomness } from '../../../core/ports/randomness.ts';
import type { SignInSettings } from '../../../core/sign-in/claims.ts';
import { getHealth } from '../../../lambdas/api/about/get-health.ts';
import { serve } from '../../../lambdas/api/http/serve.ts';
import type { Ports } from '../../../lambdas/api/ports.ts';
import { bearerOf, identifyCaller } from '../../../lambdas/api/tokens/identify-caller.ts';
import { adminOperations } from '../../../lambdas/functions/api/admin.ts';
import { clustersOperations } from '../../../lambdas/functions/api/clusters.ts';
import { edgeLinkOperations } from '../../../lambdas/functions/api/edge-link.ts';
import { edgesOperations } from '../../../lambdas/functions/api/edges.ts';
import { enrolOperations } from '../../../lambdas/functions/api/enrol.ts';
import { filesOperations } from '../../../lambdas/functions/api/files.ts';
import { graphqlOperations } from '../../../lambdas/functions/api/graphql.ts';
import { jobsReadOperations } from '../../../lambdas/functions/api/jobs-read.ts';
import { jobsWriteOperations } from '../../../lambdas/functions/api/jobs-write.ts';
import { jobspecsOperations } from '../../../lambdas/functions/api/jobspecs.ts';
import { liveOperations } from '../../../lambdas/functions/api/live.ts';
import { publicOperations } from '../../../lambdas/functions/api/public.ts';
import { schedulesOperations } from '../../../lambdas/functions/api/schedules.ts';
import { webhooksOperations } from '../../../lambdas/functions/api/webhooks.ts';
import type { Log } from '../../../lambdas/log.ts';
import { rollUpJobs } from '../../../lambdas/workers/rollup/roll-up-jobs.ts';
import { runPass } from '../../../lambdas/workers/schedule/run-pass.ts';
import type { Stores } from '../../contract/stored-ports.ts';
import { createMemoryServices, type MemoryServices } from '../../memory/services.ts';
import { createQuietLog } from '../quiet-log.ts';

/**
 * The whole API in one process: every handler behind the authorizer, as the gateway calls them, on
 * any stores. What lies beyond them (things, outputs, queues) is in memory.
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
  readonly bytes: Buffer;
  readonly route: Route | null;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly json: any;
};

export type ApiStage = {
  readonly adminToken: string;
  readonly stores: Stores;
  readonly services: MemoryServices;
  readonly log: ReturnType<typeof createQuietLog>;
  request(method: string, path: string, request?: ApiRequest): Promise<ApiAnswer>;
  /** Lets passes and rollups run over everything once, as the stream would. */
  settle(): Promise<void>;
};

type Handler = ReturnType<typeof serve>;

/** What is left out is as it is outside: the time, which never stands still, and random bytes. */
export type StageOptions = {
  readonly adminToken?: string;
  readonly clock?: { nowMs(): number };
  readonly random?: Randomness;
  /** How jobs are placed at once; without it `settle` does that. */
  readonly placing?: Ports['placing'];
  readonly people?: People;
  readonly signIn?: SignInSettings;
  /** Where events are streamed; nobody is there without it. */
  readonly eventStream?: string;
};

export function createApiStage(stores: Stores, options: StageOptions = {}): ApiStage {
  const { adminToken = 'stage-admin-token-0123456789abcdef' } = options;
  const { clock = laterEachTime(), random = { bytes: randomBytes } } = options;
  const services = createMemoryServices(clock);
  const log = createQuietLog();
  const placing = options.placing === undefined ? {} : { placing: options.placing };
  const { work: shadows, timers } = services;
  const passes = { store: stores.cells, shadows, timers, clock, log, rates: stores.rollups };
  const given = options.eventStream === undefined ? {} : { eventStream: options.eventStream };
  const ports = { ...portsOn(stores, services, log), ...placing, ...given, passes, clock, random };
  const health = getHealth(options.signIn ?? null, options.eventStream ?? null);
  const about = { ...publicOperations, getHealth: health };
  const handlers: Readonly<Record<string, Handler>> = {
    ...handlersOn(ports, log),
    public: serve('public', about, () => null, log, clock),
  };
  const people = options.people ?? null;
  const sources = { tokens: stores.tokens, adminToken: { read: async () => adminToken }, people };
  let requests = 0;
  return {
    adminToken,
    stores,
    services,
    log,
    async request(method, path, request = {}) {
      const token = request.token === undefined ? adminToken : request.token;
      const event = eventOf(`stage-${++requests}`, method, path, { ...request, token });
      const found = routeOf(method, event.rawPath);
      if (found !== null) event.pathParameters = found.params;
      const route = found?.route ?? null;
      event.routeKey = route === null ? '$default' : routeKeyOf(route);
      if (route?.access != null) {
        const bearer = bearerOf(event.headers.authorization);
        const caller = await identifyCaller(bearer, clock.nowMs(), sources);
        const context = { caller: caller === null ? '' : JSON.stringify(caller) };
        Object.assign(event.requestContext, { authorizer: { lambda: context } });
      }
      return answerOf(await handlers[route?.function ?? 'public']!(event), route);
    },
    settle: () => settle(stores, services, clock),
  };
}

/** In memory several requests are over within a millisecond, and ids and reports are in order. */
function laterEachTime(): { nowMs(): number } {
  let nowMs = Date.now();
  return {
    nowMs: () => {
      nowMs = Math.max(nowMs + 1, Date.now());
      return nowMs;
    },
  };
}

type StagePorts = Omit<Ports, 'placing'> & { readonly placing?: Ports['placing'] };

function portsOn(
  stores: Stores,
  services: MemoryServices,
  log: Log,
): Omit<StagePorts, 'passes' | 'clock' | 'random'> {
  return {
    ...stores,
    cells: createPoolCells(stores.pools, { withEdges: 0, withoutEdges: 0 }),
    cellStore: stores.cells,
    outputs: services.outputs,
    graphs: services.graphs,
    files: services.files,
    results: services.results,
    iot: services.controlPlane,
    shadows: services.shadows,
    liveShadows: services.liveShadows,
    removals: services.removals,
    trustAnchor: 'stage authority',
    eventStream: 'http://127.0.0.1:9/',
    allowsLoopback: false,
    log,
  };
}

function handlersOn(ports: StagePorts, log: Log): Readonly<Record<string, Handler>> {
  return {
    'jobs-read': serve('jobs-read', jobsReadOperations, () => ports, log, ports.clock),
    'jobs-write': serve('jobs-write', jobsWriteOperations, () => ports, log, ports.clock),
    jobspecs: serve('jobspecs', jobspecsOperations, () => ports, log, ports.clock),
    edges: serve('edges', edgesOperations, () => ports, log, ports.clock),
    enrol: serve('enrol', enrolOperations, () => ports, log, ports.clock),
    clusters: serve('clusters', clustersOperations, () => ports, log, ports.clock),
    'edge-link': serve('edge-link', edgeLinkOperations, () => ports, log, ports.clock),
    live: serve('live', liveOperations, () => ports, log, ports.clock),
    files: serve('files', filesOperations, () => ports, log, ports.clock),
    webhooks: serve('webhooks', webhooksOperations, () => ports, log, ports.clock),
    schedules: serve('schedules', schedulesOperations, () => ports, log, ports.clock),
    admin: serve('admin', adminOperations, () => ports, log, ports.clock),
    graphql: serve('graphql', graphqlOperations, () => ports, log, ports.clock),
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

/** Each route in its parts, read once: thousands of requests are compared with all of them. */
const knownRoutes = routes.map((route) => ({
  route,
  isGreedy: route.path.endsWith('+}'),
  parts: route.path.split('/').map((text) => ({ text, name: /^\{(\w+)\+?\}$/.exec(text)?.[1] })),
}));

export function routeOf(
  method: string,
  path: string,
): { readonly route: Route; readonly params: Record<string, string> } | null {
  const given = path.split('/');
  for (const { route, isGreedy, parts } of knownRoutes) {
    if (route.method !== method) continue;
    const last = parts.length - 1;
    const values =
      isGreedy && given.length > last
        ? [...given.slice(0, last), given.slice(last).join('/')]
        : given;
    if (values.length !== parts.length) continue;
    const fits = parts.every(({ text, name }, at) =>
      name === undefined ? text === values[at] : values[at] !== '',
    );
    if (!fits) continue;
    const named = parts.flatMap(({ name }, at) =>
      name === undefined ? [] : [[name, decoded(values[at]!)] as const],
    );
    return { route, params: Object.fromEntries(named) };
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
  const bytes = Buffer.from(answer.body ?? '', answer.isBase64Encoded === true ? 'base64' : 'utf8');
  const text = bytes.toString('utf8');
  const isJson = headers['content-type']?.includes('json') === true && text !== '';
  return {
    status: answer.statusCode ?? 0,
    headers,
    text,
    bytes,
    route,
    json: isJson ? JSON.parse(text) : null,
  };
}

async function settle(
  { cells, pools, rollups }: Stores,
  services: MemoryServices,
  clock: { nowMs(): number },
): Promise<void> {
  const log = createQuietLog();
  const { work: shadows, timers } = services;
  const jobs = new Set<JobId>();
  for (const id of await pools.allCells()) {
    for (const job of (await cells.load(id))?.jobs.keys() ?? []) jobs.add(job);
    await runPass({ store: cells, shadows, timers, clock, log, rates: rollups }, id);
  }
  await rollUpJobs({ store: rollups, clock, log }, jobs);
  const failed = log.lines.filter((line) => line.level === 'error');
  if (failed.length > 0) throw new Error(JSON.stringify(failed));
}
