/** The HTTP API as its callers see it. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, type NotesCloud, startNotes } from '../../notes-cloud.ts';

let cloud: NotesCloud;

beforeAll(async () => {
  cloud = await startNotes({
    edit: (resources) => {
      resources['Stage']!.Properties['StageVariables'] = { colour: 'green' };
    },
  });
});

afterAll(async () => {
  await cloud.stop();
});

function call(path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${cloud.endpoints.api}${path}`, init);
}

describe('the authorizer', () => {
  test('is not asked without its identity source', async () => {
    const response = await call('/notes/1');
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual({ message: 'Unauthorized' });
  });

  test('refuses with 403', async () => {
    const response = await call('/notes/1', { headers: { authorization: 'stranger' } });
    expect(response.status).toBe(403);
    expect(await response.json()).toEqual({ message: 'Forbidden' });
  });

  test('can say Unauthorized itself', async () => {
    const response = await call('/notes/1', { headers: { authorization: 'nobody' } });
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual({ message: 'Unauthorized' });
  });

  test('that fails is a 500', async () => {
    const response = await call('/notes/1', { headers: { authorization: 'crash' } });
    expect(response.status).toBe(500);
  });

  test('gives its context to the function and is asked once for the same identity', async () => {
    const headers = { authorization: 'friend' };
    const first = (await (await call('/whoami', { headers })).json()) as Event;
    const second = (await (await call('/whoami', { headers })).json()) as Event;
    expect(first.requestContext.authorizer?.lambda).toMatchObject({ friend: 'yes' });
    expect(second.requestContext.authorizer).toEqual(first.requestContext.authorizer);
  });
});

type Event = {
  version: string;
  routeKey: string;
  rawPath: string;
  rawQueryString: string;
  headers: Record<string, string>;
  cookies?: string[];
  queryStringParameters?: Record<string, string>;
  pathParameters?: Record<string, string>;
  body?: string;
  isBase64Encoded: boolean;
  requestContext: {
    http: { method: string; path: string };
    stage: string;
    routeKey: string;
    authorizer?: { lambda: Record<string, unknown> };
  };
};

describe('payload format 2.0', () => {
  test('carries path, query, headers and cookies', async () => {
    const response = await call('/echo/a/b?x=1&x=2&y=%C3%A4', {
      method: 'PUT',
      headers: { cookie: 'c=1; d=2', 'x-word': 'w', 'content-type': 'application/json' },
      body: '{"ä":1}',
    });
    const event = (await response.json()) as Event;
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(event).toMatchObject({
      version: '2.0',
      routeKey: 'ANY /echo/{proxy+}',
      rawPath: '/echo/a/b',
      rawQueryString: 'x=1&x=2&y=%C3%A4',
      queryStringParameters: { x: '1,2', y: 'ä' },
      pathParameters: { proxy: 'a/b' },
      cookies: ['c=1', 'd=2'],
      body: '{"ä":1}',
      isBase64Encoded: false,
    });
    expect(event.headers['x-word']).toBe('w');
    expect(event.requestContext.http).toMatchObject({ method: 'PUT', path: '/echo/a/b' });
    expect(event.requestContext.stage).toBe('$default');
  });

  test('carries cookies in their own field, and where the request came from', async () => {
    const headers = { cookie: 'c=1', 'x-forwarded-for': '192.0.2.1' };
    const event = (await (await call('/echo/x', { headers })).json()) as Event;
    expect(event.headers).not.toHaveProperty('cookie');
    expect(event.headers['x-forwarded-for']).toBe('192.0.2.1, 127.0.0.1');
    expect(event.headers['x-forwarded-proto']).toBe('http');
    expect(event.headers['x-amzn-trace-id']).toMatch(/^Root=1-[0-9a-f]{8}-[0-9a-f]{24}$/);
  });

  test('carries the path decoded', async () => {
    const event = (await (await call('/echo/a%20b%C3%A4')).json()) as Event;
    expect(event.rawPath).toBe('/echo/a bä');
    expect(event.pathParameters).toEqual({ proxy: 'a bä' });
  });

  test('carries the variables of the stage', async () => {
    const event = (await (await call('/echo/x')).json()) as Event & { stageVariables: unknown };
    expect(event.stageVariables).toEqual({ colour: 'green' });
  });

  test.each([
    ['application/json', false],
    ['text/csv', false],
    ['application/vnd.api+json', false],
    ['application/x-www-form-urlencoded', true],
    ['image/png', true],
  ])('carries a body of %s as base64: %s', async (type, isBase64Encoded) => {
    const init = { method: 'POST', headers: { 'content-type': type }, body: 'a=b' };
    expect(await (await call('/echo/x', init)).json()).toMatchObject({ isBase64Encoded });
  });

  test('carries a binary body as base64', async () => {
    const response = await call('/echo/x', {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: new Uint8Array([0, 255, 1]),
    });
    expect(await response.json()).toMatchObject({ body: 'AP8B', isBase64Encoded: true });
  });
});

describe('answers', () => {
  test('in base64 arrive as bytes', async () => {
    const response = await call('/image');
    expect(response.headers.get('content-type')).toBe('image/png');
    expect([...new Uint8Array(await response.arrayBuffer())]).toEqual([137, 80, 78, 71]);
  });

  test('of a function that throws are a 500 without its message', async () => {
    const response = await call('/broken');
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({ message: 'Internal Server Error' });
  });

  test.each([
    ['object', 500, '{"message":"Internal Server Error"}'],
    ['status', 500, '{"message":"Internal Server Error"}'],
    ['number', 201, '5'],
    ['text', 200, 'just a text'],
  ])('of a function: %s', async (name, status, text) => {
    const response = await call(`/echo/x?answer=${name}`);
    expect(response.status).toBe(status);
    expect(await response.text()).toBe(text);
  });

  test('to a greedy path without a rest are 404', async () => {
    expect((await call('/echo/')).status).toBe(404);
  });

  test('to paths without a route are 404', async () => {
    expect((await call('/nowhere')).status).toBe(404);
    expect((await call('/notes', { method: 'DELETE' })).status).toBe(404);
  });

  test('to bodies above 10 MB are 413', async () => {
    const body = 'x'.repeat(10_485_761);
    const response = await call('/echo/x', { method: 'POST', body });
    expect(response.status).toBe(413);
  });

  test('to more requests than the route takes are 429', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 4 }, async () => (await call('/limited')).status),
    );
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(2);
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(1);
  });
});

describe('CORS', () => {
  const origin = 'https://notes.example';

  test('answers a preflight request itself', async () => {
    const response = await call('/notes', {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST' },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-origin')).toBe(origin);
    expect(response.headers.get('access-control-allow-methods')).toBe('GET,POST');
    expect(response.headers.get('access-control-max-age')).toBe('300');
  });

  test('says nothing to an OPTIONS request that is no preflight', async () => {
    const response = await call('/notes', { method: 'OPTIONS', headers: { origin } });
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });

  test('leaves OPTIONS to a route that takes it', async () => {
    const headers = { origin, 'access-control-request-method': 'POST' };
    const response = await call('/echo/x', { method: 'OPTIONS', headers });
    expect(response.status).toBe(200);
    expect(response.headers.get('access-control-allow-origin')).toBe(origin);
  });

  test('replaces what the function says about origins', async () => {
    const response = await call('/echo/x?answer=cors', { headers: { origin } });
    expect(response.headers.get('access-control-allow-origin')).toBe(origin);
    expect(response.headers.get('vary')).toBe('Accept, Origin');
    const plain = await call('/echo/x?answer=cors');
    expect(plain.headers.get('access-control-allow-origin')).toBeNull();
  });

  test('names the origin in answers, and no other origin', async () => {
    const friend = await call('/image', { headers: { origin } });
    const other = await call('/image', { headers: { origin: 'https://other.example' } });
    expect(friend.headers.get('access-control-allow-origin')).toBe(origin);
    expect(other.headers.get('access-control-allow-origin')).toBeNull();
  });
});

test('the access log has a line per request in the format of the stage', async () => {
  await call('/notes/none', { headers: { authorization: 'friend' } });
  const logs = join(cloud.stateDir, 'logs');
  const line = await eventually(async () => {
    const file = readdirSync(logs).find((name) => name.includes('AccessLogs'));
    const text = file === undefined ? '' : readFileSync(join(logs, file), 'utf8');
    return text.split('\n').find((item) => item.includes('"404"') && item.includes('{id}'));
  });
  expect(JSON.parse(line)).toEqual({ status: '404', route: 'GET /notes/{id}', who: 'yes' });
});
