import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { ProblemError } from '../../../core/contract/problem.ts';
import { type ApiFunction, type Route, routeKeyOf, routes } from '../../../core/contract/routes.ts';
import { nameOfCaller } from '../../../core/model/caller.ts';
import { shownLengthMax } from '../../../core/model/limits.ts';
import { createLog, type Log } from '../../log.ts';
import { checkAccess } from './access.ts';
import { type Answer, type Call, type Handler, readCall, readCaller } from './call.ts';
import { notModified } from './etag.ts';
import { outageOf } from './outage.ts';

/**
 * The one way in: finds the handler of a route, checks what its caller may do, and turns whatever
 * happens into an answer and a log line that carry the same request id. Handlers throw
 * `ProblemError` for what a user did wrong; anything else is our fault and says nothing of its
 * inside.
 */
export type Operations<D> = Readonly<Record<string, { readonly handle: Handler<D> }>>;

type ApiHandler = (event: APIGatewayProxyEventV2) => Promise<APIGatewayProxyStructuredResultV2>;

export const securityHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const;

export function serve<D>(
  name: ApiFunction,
  operations: Operations<NoInfer<D>>,
  getDeps: () => D,
  log: Log = createLog({ function: `api/${name}` }, Date.now),
  clock: { nowMs(): number } = { nowMs: Date.now },
): ApiHandler {
  const table = new Map<string, { route: Route; handler: Handler<D> }>();
  for (const route of routes) {
    if (route.function !== name) continue;
    const handler = operations[route.operation]?.handle;
    if (handler === undefined) throw new Error(`${route.operation} has no handler in ${name}`);
    table.set(routeKeyOf(route), { route, handler });
  }
  return async (event) => {
    const request = readCall(event, clock.nowMs());
    let call: Call = { ...request, caller: null };
    let answer: Answer;
    try {
      const entry = table.get(event.routeKey) ?? table.get(publicKeyOfHead(call));
      if (entry === undefined) {
        answer = withoutRoute(call);
      } else {
        call = { ...request, caller: readCaller(event) };
        checkAccess(entry.route, call.caller, call.params.name ?? null);
        answer = notModified(call, await entry.handler(call, getDeps()));
      }
    } catch (error) {
      answer = problemAnswer(call, error, log);
    }
    logAnswer(call, event.routeKey, answer.status, log);
    return encode(call, answer);
  };
}

/**
 * Watchers of an address ask with HEAD; what anybody may read without a name in the path answers
 * them, too.
 */
function publicKeyOfHead({ method, path }: Call): string {
  const route = routes.find((it) => it.method === 'GET' && it.path === path);
  return method === 'HEAD' && route?.access === null ? routeKeyOf(route) : '';
}

/**
 * What no route takes. A browser asks with OPTIONS before it sends from another origin, and goes on
 * only if that is answered well; whether it may is said by the gateway, which adds the headers for
 * the dashboard's origin.
 */
function withoutRoute(call: Call): Answer {
  const methods = routes.filter((route) => matches(route.path, call.path)).map((it) => it.method);
  if (methods.length === 0) {
    const shown = call.path.slice(0, shownLengthMax);
    throw new ProblemError('not-found', `There is no address ${shown}.`);
  }
  const allow = [...new Set(methods)].join(', ');
  if (call.method === 'OPTIONS') return { status: 204, headers: { allow } };
  throw new ProblemError('method-not-allowed', `This address takes ${allow}.`, {
    headers: { allow },
  });
}

/** `{path+}`, the last part of a template, stands for all parts that follow. */
function matches(template: string, path: string): boolean {
  const wanted = template.split('/');
  const given = path.split('/');
  const isOpen = template.endsWith('+}') && given.length > wanted.length;
  if (wanted.length !== given.length && !isOpen) return false;
  return wanted.every((part, at) => (part.startsWith('{') ? given[at] !== '' : part === given[at]));
}

export function problemAnswer(call: Call, error: unknown, log: Log): Answer {
  const problem = error instanceof ProblemError ? error : outageOf(error);
  if (problem.status >= 500) {
    log.error('the request failed', { requestId: call.requestId, error });
  }
  return {
    status: problem.status,
    headers: { ...problem.headers, 'content-type': 'application/problem+json' },
    body: problem.toProblem(call.requestId),
  };
}

function encode(call: Call, answer: Answer): APIGatewayProxyStructuredResultV2 {
  const headers: Record<string, string> = {
    ...securityHeaders,
    ...(answer.body === undefined ? {} : { 'content-type': 'application/json' }),
    ...answer.headers,
    'x-request-id': call.requestId,
  };
  if (answer.body === undefined || call.method === 'HEAD') {
    return { statusCode: answer.status, headers };
  }
  if (answer.body instanceof Uint8Array) {
    const body = Buffer.from(answer.body).toString('base64');
    return { statusCode: answer.status, headers, body, isBase64Encoded: true };
  }
  const body = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
  return { statusCode: answer.status, headers, body };
}

function logAnswer(call: Call, route: string, status: number, log: Log): void {
  log.info('answered', {
    requestId: call.requestId,
    route,
    status,
    ms: Date.now() - call.nowMs,
    caller: call.caller === null ? null : nameOfCaller(call.caller),
  });
}
