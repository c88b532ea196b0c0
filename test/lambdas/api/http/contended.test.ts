import { expect, test } from 'vitest';
import { changeAttemptsMax } from '../../../../core/model/limits.ts';
import { enrolAttemptsMax } from '../../../../lambdas/limits.ts';
import { createMemoryStores } from '../../../memory/stores.ts';
import { createApiStage } from '../api-stage.ts';
import { makeKey, signingRequest } from '../signing-request.ts';

/** Others get through each time: who asks is asked to come back, and nothing is left half-made. */
function stage() {
  const stores = createMemoryStores();
  const counts = { tries: 0, isContended: false };
  const lost = <T>(outcome: T, otherwise: () => Promise<T>): Promise<T> => {
    if (!counts.isContended) return otherwise();
    counts.tries++;
    return Promise.resolve(outcome);
  };
  const { edges, pools, queues } = stores;
  const api = createApiStage({
    ...stores,
    edges: {
      ...edges,
      configure: (...words) => lost(false, () => edges.configure(...words)),
      enrol: (...words) => lost('full', () => edges.enrol(...words)),
      renew: (...words) => lost(false, () => edges.renew(...words)),
    },
    pools: { ...pools, put: (...words) => lost(false, () => pools.put(...words)) },
    queues: { ...queues, put: (...words) => lost(false, () => queues.put(...words)) },
  });
  return { api, counts };
}

const csr = () => signingRequest(makeKey());
const capacity = { power: 1 };

test.each([
  ['an edge', 'POST', '/v1/edges/e1/drain', {}, changeAttemptsMax],
  ['a pool', 'PUT', '/v1/pools/p', {}, changeAttemptsMax],
  ['a queue', 'PUT', '/v1/queues/q', {}, changeAttemptsMax],
  ['an enrolment', 'POST', '/v1/edges', { name: 'e2', capacity, csr: csr() }, enrolAttemptsMax],
])('a change of %s that loses every time ends', async (_, method, path, body, triesMax) => {
  const { api, counts } = stage();
  await api.request('POST', '/v1/edges', { body: { name: 'e1', capacity } });
  counts.isContended = true;
  const answer = await api.request(method, path, { body });
  expect([answer.status, answer.json.code]).toEqual([503, 'temporarily-unavailable']);
  expect(answer.headers['retry-after']).toBe('1');
  expect(counts.tries).toBe(triesMax);
  expect(api.services.controlPlane.certificates.size).toBe(0);
});

test('a renewal that loses every time ends, and leaves no certificate', async () => {
  const { api, counts } = stage();
  const body = { name: 'e1', capacity, csr: csr() };
  const { secret } = (await api.request('POST', '/v1/edges', { body })).json;
  counts.isContended = true;
  const renewal = { body: { ...body, csr: csr() }, token: secret };
  const answer = await api.request('POST', '/v1/edges', renewal);
  expect([answer.status, answer.json.code]).toEqual([503, 'temporarily-unavailable']);
  expect(counts.tries).toBe(changeAttemptsMax);
  expect(api.services.controlPlane.certificates.size).toBe(1);
});
