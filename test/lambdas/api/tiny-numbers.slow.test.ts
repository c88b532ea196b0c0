import { afterAll, beforeAll, expect, test } from 'vitest';
import { startDatabase, type TestDatabase } from '../../contract/database.ts';
import { makeTableStores } from '../../contract/engine-stores.ts';
import { type ApiStage, createApiStage } from './api-stage.ts';
import { enrolEdge, type WorkingEdge } from './working-edge.ts';

let database: TestDatabase;
let api: ApiStage;
let edge: WorkingEdge;

beforeAll(async () => {
  database = await startDatabase();
  api = createApiStage(await makeTableStores(database));
  edge = await enrolEdge(api, 'edge-1');
});
afterAll(() => database.close());

/** A table keeps 38 digits between 1E-130 and 9.9E+125; JSON knows more. */
const numbers = ['1e-300', '1e-131', '1.2345678901234567e-100', '0.1', '4.9e-324', '-0'];

const places: readonly [string, string, (n: string) => string][] = [
  ['PUT', '/v1/queues/q', (n) => `{"weight":${n}}`],
  ['PUT', '/v1/pools/p', (n) => `{"edgeCapacityMax":{"power":${n},"gpus":${n}}}`],
  ['PATCH', '/v1/edges/edge-1', (n) => `{"capacity":{"power":5,"gpus":${n}}}`],
  ['POST', '/v1/jobs', (n) => `{"chunks":1,"pool":"nowhere","resources":{"gpus":${n}}}`],
  ['POST', '/v1/jobs', (n) => `{"chunks":1,"pool":"nowhere","run":{"simulate":{"seconds":${n}}}}`],
  [
    'POST',
    '/v1/edges',
    (n) => `{"name":"e-${++made}","capacity":{"power":5,"gpus":${n}},"facts":{"x":${n}}}`,
  ],
  [
    'POST',
    '/v1/edges/edge-1/report',
    (n) => `{"b":"b","e":0,"n":${++made + 100},"f":${n},"w":{"j":{"d":"0","m":${n}}}}`,
  ],
];
let made = 0;

test.each(places)('%s %s takes or refuses any number', async (method, path, bodyOf) => {
  for (const n of numbers) {
    const token = path.endsWith('/report') ? { token: edge.secret } : {};
    const { status, text } = await api.request(method, path, { raw: bodyOf(n), ...token });
    expect(status, `${n}: ${text}`).toBeLessThan(500);
    await api.settle();
  }
});
