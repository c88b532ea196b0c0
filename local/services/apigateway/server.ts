/**
 * Serves one HTTP API of the template: route, throttle, authorizer, function, answer, access log,
 * in the order in which API Gateway does it.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Account, arnOf } from '../../account.ts';
import { readBody } from '../../engine/gateway/request.ts';
import { forThisMachine, type HostCheck } from '../../engine/host-check.ts';
import {
  httpApiAuthorizerTimeoutMs,
  httpApiBurst,
  httpApiPayloadBytesMax,
  httpApiRatePerSecond,
} from '../../limits.ts';
import type { FunctionDefinition, InvocationOutcome } from '../lambda/definition.ts';
import type { AccessLog } from './access-log.ts';
import { type ApiAnswer, functionAnswer, messageAnswer } from './answer.ts';
import { type Authorizer, lambdaAuthorizer } from './authorizer.ts';
import { preflightHeaders, responseHeaders } from './cors.ts';
import type { ApiDefinition } from './definition.ts';
import { type ApiRequest, apiRequest, proxyEvent } from './event.ts';
import { type RouteMatch, routeTable } from './route-table.ts';
import { type TokenBucket, tokenBucket } from './throttle.ts';

export type HttpApiOptions = {
  account: Account;
  definition: ApiDefinition;
  isKnownHost: HostCheck;
  find(functionArn: string): FunctionDefinition | undefined;
  invoke(definition: FunctionDefinition, payload: Buffer): Promise<InvocationOutcome>;
  accessLog: AccessLog | undefined;
  log(line: string): void;
};

export type ApiCounters = {
  count: number;
  clientErrors: number;
  serverErrors: number;
};

export type HttpApi = {
  readonly server: Server;
  readonly counters: Readonly<ApiCounters>;
};

/** What happened to a request, gathered for the access log. */
type Trace = {
  routeKey: string;
  integrationMs: number | undefined;
  authorizer: Record<string, unknown> | undefined;
  error: string | undefined;
};

export function httpApi(options: HttpApiOptions): HttpApi {
  const api = new Api(options);
  const listener = forThisMachine(options.isKnownHost, (message, res) => {
    void api.serve(message, res);
  });
  const server = createServer(listener);
  server.keepAliveTimeout = 60_000;
  return { server, counters: api.counters };
}

class Api {
  readonly counters: ApiCounters = { count: 0, clientErrors: 0, serverErrors: 0 };
  readonly #options: HttpApiOptions;
  readonly #routes: ReturnType<typeof routeTable>;
  readonly #stageBucket: TokenBucket;
  readonly #routeBuckets: ReadonlyMap<string, TokenBucket>;
  readonly #authorizers: ReadonlyMap<string, Authorizer>;

  constructor(options: HttpApiOptions) {
    this.#options = options;
    const { definition, account } = options;
    const nowMs = (): number => performance.now();
    this.#routes = routeTable(definition.routes);
    const standard = { ratePerSecond: httpApiRatePerSecond, burst: httpApiBurst };
    this.#stageBucket = tokenBucket(definition.stage?.throttle ?? standard, nowMs);
    this.#routeBuckets = new Map(
      [...(definition.stage?.routeThrottles ?? [])].map(([key, throttle]) => [
        key,
        tokenBucket(throttle, nowMs),
      ]),
    );
    const routeArn = (request: ApiRequest): string =>
      arnOf(account, 'execute-api', `${definition.id}/$default/${request.method}${request.path}`);
    this.#authorizers = new Map(
      [...definition.authorizers].map(([id, authorizer]) => [
        id,
        lambdaAuthorizer(authorizer, routeArn, nowMs, async (payload) => {
          const asked = this.#invoke(authorizer.functionArn, payload);
          const outcome = await withTimeout(asked, httpApiAuthorizerTimeoutMs);
          return outcome ?? { kind: 'throttled', reason: 'Authorizer timeout' };
        }),
      ]),
    );
  }

  async serve(message: IncomingMessage, res: ServerResponse): Promise<void> {
    const { id, stage } = this.#options.definition;
    const stageVariables = stage?.variables ?? {};
    const request = apiRequest(message, { id, stageVariables }, randomUUID());
    const trace: Trace = {
      routeKey: '-',
      integrationMs: undefined,
      authorizer: undefined,
      error: undefined,
    };
    let answer: ApiAnswer;
    try {
      answer = await this.#answer(message, request, trace);
    } catch (error) {
      this.#options.log(`api: ${request.method} ${request.path}: ${String(error)}`);
      answer = messageAnswer(500, 'Internal Server Error');
    }
    this.#send(res, request, answer);
    this.#options.accessLog?.write({
      ...trace,
      request,
      status: answer.status,
      responseBytes: answer.body.length,
    });
  }

  async #answer(message: IncomingMessage, request: ApiRequest, trace: Trace): Promise<ApiAnswer> {
    const { definition } = this.#options;
    const body = await readBody(message, httpApiPayloadBytesMax);
    if (body === undefined) return messageAnswer(413, 'Request Entity Too Large');
    const isPreflight = request.method === 'OPTIONS' && definition.cors !== undefined;
    if (isPreflight && !this.#routes.hasOptions(request.path)) {
      return { ...messageAnswer(204, ''), headers: {}, body: Buffer.alloc(0) };
    }
    const match = this.#routes.match(request.method, request.path);
    if (match === undefined) return messageAnswer(404, 'Not Found');
    trace.routeKey = match.route.key;
    const bucket = this.#routeBuckets.get(match.route.key) ?? this.#stageBucket;
    if (!bucket.take()) return messageAnswer(429, 'Too Many Requests');
    const refused = await this.#authorize(request, match, trace);
    if (refused !== undefined) return refused;
    return this.#integrate(request, match, trace, body);
  }

  /** The refusal, or undefined when the request may pass. */
  async #authorize(
    request: ApiRequest,
    match: RouteMatch,
    trace: Trace,
  ): Promise<ApiAnswer | undefined> {
    const { authorizerId } = match.route;
    if (authorizerId === undefined) return undefined;
    const authorization = await this.#authorizers.get(authorizerId)?.authorize(request, match);
    switch (authorization?.kind) {
      case 'allowed':
        trace.authorizer = authorization.context;
        return undefined;
      case 'unauthorized':
        return messageAnswer(401, 'Unauthorized');
      case 'forbidden':
        return messageAnswer(403, 'Forbidden');
      default:
        trace.error = 'The authorizer failed';
        return messageAnswer(500, 'Internal Server Error');
    }
  }

  async #integrate(
    request: ApiRequest,
    match: RouteMatch,
    trace: Trace,
    body: Buffer,
  ): Promise<ApiAnswer> {
    const integration = this.#options.definition.integrations.get(match.route.integrationId);
    if (integration === undefined) return messageAnswer(500, 'Internal Server Error');
    const authorizer = trace.authorizer === undefined ? undefined : { lambda: trace.authorizer };
    const event = proxyEvent(request, match, authorizer, body);
    const startedAtMs = performance.now();
    const outcome = await withTimeout(
      this.#invoke(integration.functionArn, Buffer.from(JSON.stringify(event))),
      integration.timeoutMs,
    );
    trace.integrationMs = Math.round(performance.now() - startedAtMs);
    switch (outcome?.kind) {
      case 'ok': {
        const answer = functionAnswer(outcome.payload);
        if (answer !== undefined) return answer;
        trace.error = 'The function returned an invalid answer';
        return messageAnswer(500, 'Internal Server Error');
      }
      case 'failed':
        trace.error = outcome.payload.toString();
        return messageAnswer(500, 'Internal Server Error');
      default:
        trace.error = outcome === undefined ? 'Integration timeout' : outcome.reason;
        return messageAnswer(503, 'Service Unavailable');
    }
  }

  #invoke(functionArn: string, payload: Buffer): Promise<InvocationOutcome> {
    const definition = this.#options.find(functionArn);
    if (definition === undefined) throw new Error(`no function ${functionArn}`);
    return this.#options.invoke(definition, payload);
  }

  #send(res: ServerResponse, request: ApiRequest, answer: ApiAnswer): void {
    this.counters.count += 1;
    if (answer.status >= 500) this.counters.serverErrors += 1;
    else if (answer.status >= 400) this.counters.clientErrors += 1;
    const headers: Record<string, string | string[]> = { ...answer.headers };
    const { cors } = this.#options.definition;
    if (cors !== undefined) {
      for (const name of Object.keys(headers)) {
        if (name.startsWith('access-control-')) delete headers[name];
      }
      const origin = request.headers.origin;
      const isPreflight = request.method === 'OPTIONS';
      const method = request.headers['access-control-request-method'];
      const own = isPreflight
        ? preflightHeaders(cors, origin, method)
        : responseHeaders(cors, origin);
      if (own.vary !== undefined && headers.vary !== undefined) {
        own.vary = `${headers.vary}, ${own.vary}`;
      }
      Object.assign(headers, own);
    }
    headers['apigw-requestid'] = request.id;
    if (answer.cookies.length > 0) headers['set-cookie'] = [...answer.cookies];
    const hasBody = answer.status !== 204 && answer.status !== 304;
    if (hasBody) headers['content-length'] = String(answer.body.length);
    res.writeHead(answer.status, headers);
    res.end(hasBody && request.method !== 'HEAD' ? answer.body : undefined);
  }
}

async function withTimeout<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ms, undefined);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
