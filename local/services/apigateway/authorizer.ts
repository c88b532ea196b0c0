/**
 * Lambda authorizers with simple responses
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-lambda-authorizer.html):
 * without one of the identity sources the request is refused unseen; answers are kept for the
 * authorizer's time, under the values of its identity sources.
 */

import { httpApiAuthorizerCacheMax } from '../../limits.ts';
import type { InvocationOutcome } from '../lambda/definition.ts';
import type { AuthorizerDefinition } from './definition.ts';
import { type ApiRequest, authorizerEvent } from './event.ts';
import type { RouteMatch } from './route-table.ts';

export type Authorization =
  | { kind: 'allowed'; context: Record<string, unknown> }
  | { kind: 'unauthorized' }
  | { kind: 'forbidden' }
  | { kind: 'broken' };

export type Authorizer = {
  authorize(request: ApiRequest, match: RouteMatch): Promise<Authorization>;
};

export function lambdaAuthorizer(
  definition: AuthorizerDefinition,
  routeArn: (request: ApiRequest) => string,
  nowMs: () => number,
  invoke: (payload: Buffer) => Promise<InvocationOutcome>,
): Authorizer {
  const cache = new Map<string, { answer: Authorization; untilMs: number }>();
  const isCached = definition.ttlSeconds > 0 && definition.identitySources.length > 0;
  return {
    authorize: async (request, match) => {
      const sources = definition.identitySources.map((source) =>
        sourceValue(source, request, match),
      );
      if (sources.some((value) => value === undefined || value === '')) {
        return { kind: 'unauthorized' };
      }
      const identity = sources.map(String);
      const key = JSON.stringify(identity);
      const known = isCached ? cache.get(key) : undefined;
      if (known !== undefined && known.untilMs > nowMs()) return known.answer;
      const event = authorizerEvent(request, match, identity, routeArn(request));
      const answer = authorizationOf(await invoke(Buffer.from(JSON.stringify(event))));
      if (isCached && (answer.kind === 'allowed' || answer.kind === 'forbidden')) {
        cache.delete(key);
        cache.set(key, { answer, untilMs: nowMs() + definition.ttlSeconds * 1000 });
        const oldest = cache.keys().next().value;
        if (cache.size > httpApiAuthorizerCacheMax && oldest !== undefined) cache.delete(oldest);
      }
      return answer;
    },
  };
}

function authorizationOf(outcome: InvocationOutcome): Authorization {
  if (outcome.kind === 'throttled') return { kind: 'broken' };
  let value: unknown;
  try {
    value = JSON.parse(outcome.payload.toString());
  } catch {
    return { kind: 'broken' };
  }
  if (typeof value !== 'object' || value === null) return { kind: 'broken' };
  // "You can also directly return {"errorMessage" : "Unauthorized"} from your Lambda function to
  // return a 401 error to your clients." A function that throws it answers the same.
  if ('errorMessage' in value && value.errorMessage === 'Unauthorized') {
    return { kind: 'unauthorized' };
  }
  if (outcome.kind !== 'ok' || !('isAuthorized' in value)) return { kind: 'broken' };
  if (value.isAuthorized !== true) return { kind: 'forbidden' };
  const context = 'context' in value ? value.context : undefined;
  return { kind: 'allowed', context: (context ?? {}) as Record<string, unknown> };
}

/** What `sourceValue` finds: other sources would refuse every request. */
export const isIdentitySource = (source: string): boolean =>
  /^\$(request\.(header|querystring)\.[^.\s]+|stageVariables\.\w+)$/.test(source) ||
  /^\$context\.(routeKey|httpMethod|path|identity\.sourceIp)$/.test(source);

/** `$request.header.Name`, `$request.querystring.name`, `$stageVariables.name`, `$context.…`. */
function sourceValue(source: string, request: ApiRequest, match: RouteMatch): string | undefined {
  const [scope, kind, ...rest] = source.split('.');
  const name = rest.join('.');
  if (scope === '$request' && kind === 'header') return request.headers[name.toLowerCase()];
  if (scope === '$request' && kind === 'querystring') return request.query[name];
  if (scope === '$stageVariables') {
    return request.stageVariables[source.slice('$stageVariables.'.length)];
  }
  if (source === '$context.routeKey') return match.route.key;
  if (source === '$context.httpMethod') return request.method;
  if (source === '$context.path') return request.path;
  if (source === '$context.identity.sourceIp') return request.sourceIp;
  return undefined;
}
