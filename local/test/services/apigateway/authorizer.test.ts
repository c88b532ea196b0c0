/** How long the answer of an authorizer is good for. */
import { beforeEach, expect, test } from 'vitest';
import { type Authorizer, lambdaAuthorizer } from '../../../services/apigateway/authorizer.ts';
import type { AuthorizerDefinition } from '../../../services/apigateway/definition.ts';
import type { ApiRequest } from '../../../services/apigateway/event.ts';
import type { RouteMatch } from '../../../services/apigateway/route-table.ts';

let nowMs: number;
let asked: number;
let answer: unknown;

beforeEach(() => {
  nowMs = 0;
  asked = 0;
  answer = { isAuthorized: true, context: { who: 'friend' } };
});

function authorizer(more: Partial<AuthorizerDefinition> = {}): Authorizer {
  const identitySources = ['$request.header.Authorization'];
  const definition = { ttlSeconds: 60, identitySources, ...more } as AuthorizerDefinition;
  return lambdaAuthorizer(
    definition,
    () => 'arn:route',
    () => nowMs,
    async () => {
      asked += 1;
      return { kind: 'ok', payload: Buffer.from(JSON.stringify(answer)) };
    },
  );
}

const match = { route: { key: 'GET /' }, pathParameters: {} } as unknown as RouteMatch;

async function kindOf(from: Authorizer, who: string): Promise<string> {
  const request: ApiRequest = {
    id: 'request',
    apiId: 'api',
    receivedAtMs: nowMs,
    method: 'GET',
    path: '/',
    rawQuery: '',
    headers: who === '' ? {} : { authorization: who },
    cookies: [],
    query: {},
    stageVariables: {},
    sourceIp: '127.0.0.1',
    protocol: 'HTTP/1.1',
  };
  return (await from.authorize(request, match)).kind;
}

test('an answer is good for its time, and for who it was about', async () => {
  const from = authorizer();
  expect(await kindOf(from, 'a')).toBe('allowed');
  nowMs = 59_999;
  expect(await kindOf(from, 'a')).toBe('allowed');
  expect(asked).toBe(1);
  expect(await kindOf(from, 'b')).toBe('allowed');
  expect(asked).toBe(2);
  answer = { isAuthorized: false };
  nowMs = 60_000;
  expect(await kindOf(from, 'a')).toBe('forbidden');
  expect(asked).toBe(3);
});

test('without a time it is asked each time, without an identity never', async () => {
  const from = authorizer({ ttlSeconds: 0 });
  await kindOf(from, 'a');
  await kindOf(from, 'a');
  expect(asked).toBe(2);
  expect(await kindOf(from, '')).toBe('unauthorized');
  expect(asked).toBe(2);
});
