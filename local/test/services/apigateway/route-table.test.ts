/** Which route takes a request: the examples of AWS's documentation and their neighbours. */
import { expect, test } from 'vitest';
import { routeTable } from '../../../services/apigateway/route-table.ts';

const keys = [
  '$default',
  'GET /pets/dog/1',
  'GET /pets/dog/{id}',
  'GET /pets/{proxy+}',
  'ANY /{proxy+}',
  'ANY /pets/dog/{id}',
  'POST /jobs',
  'GET /jobs/{id}',
  'GET /jobs/count',
  'GET /jobs/{id}/chunks/{n}/output',
];

const table = routeTable(
  keys.map((key) => ({ key, logicalId: key, integrationId: 'i', authorizerId: undefined })),
);

test.each([
  ['GET', '/pets/dog/1', 'GET /pets/dog/1', {}],
  ['GET', '/pets/dog/2', 'GET /pets/dog/{id}', { id: '2' }],
  ['POST', '/pets/dog/2', 'ANY /pets/dog/{id}', { id: '2' }],
  ['GET', '/pets/cat/1', 'GET /pets/{proxy+}', { proxy: 'cat/1' }],
  ['POST', '/test/5', 'ANY /{proxy+}', { proxy: 'test/5' }],
  ['GET', '/jobs/count', 'GET /jobs/count', {}],
  ['GET', '/jobs/other', 'GET /jobs/{id}', { id: 'other' }],
  ['GET', '/jobs/a/chunks/7/output', 'GET /jobs/{id}/chunks/{n}/output', { id: 'a', n: '7' }],
  ['DELETE', '/jobs/a', 'ANY /{proxy+}', { proxy: 'jobs/a' }],
])('%s %s', (method, path, key, pathParameters) => {
  const match = table.match(method, path);
  expect(match?.route.key).toBe(key);
  expect(match?.pathParameters).toEqual(pathParameters);
});

test('a request that no route names goes to $default, if there is one', () => {
  const only = (key: string) =>
    routeTable([{ key, logicalId: key, integrationId: 'i', authorizerId: undefined }]);
  expect(only('$default').match('GET', '/')?.route.key).toBe('$default');
  expect(only('GET /a').match('GET', '/b')).toBeUndefined();
  expect(only('GET /a').match('POST', '/a')).toBeUndefined();
  expect(only('GET /a').match('GET', '/a/b')).toBeUndefined();
});
