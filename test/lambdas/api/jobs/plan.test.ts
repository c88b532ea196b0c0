import { beforeAll, expect, test } from 'vitest';
import { simulatedStores } from '../../../contract/simulated-stores.ts';
import { type ApiStage, createApiStage } from '../api-stage.ts';

/** A dry run says what submitting would say. */
let api: ApiStage;

beforeAll(async () => {
  api = createApiStage(simulatedStores());
});

const both = async (body: object) => {
  const planned = await api.request('POST', '/v1/plan', { body });
  return { planned, submitted: await api.request('POST', '/v1/jobs', { body }) };
};

test('what submitting would refuse is refused by the plan the same way', async () => {
  const cancelled = (await api.request('POST', '/v1/jobs', { body: {} })).json.id;
  await api.request('DELETE', `/v1/jobs/${cancelled}`);
  await api.settle();
  for (const body of [{ dependsOn: ['nobody'] }, { dependsOn: [cancelled] }, { power: 0 }]) {
    const { planned, submitted } = await both(body);
    const said = ({ status, json }: typeof planned) => [status, json.code, json.detail];
    expect(said(planned)).toEqual(said(submitted));
    expect(planned.status).toBeGreaterThanOrEqual(400);
  }
});

test('a job that others must end before waits for them, and for nothing once they have ended', async () => {
  const edge = { name: 'runner', capacity: { power: 10 } };
  const { secret } = (await api.request('POST', '/v1/edges', { body: edge })).json;
  const report = (body: object) =>
    api.request('POST', '/v1/edges/runner/report', {
      token: secret,
      body: { b: 'boot', e: 0, f: 10, w: {}, ...body },
    });
  await report({ n: 1 });
  const parent = (await api.request('POST', '/v1/jobs', { body: {} })).json.id;
  await api.settle();
  const held = await api.request('POST', '/v1/plan', { body: { dependsOn: [parent] } });
  expect(held.json.waiting).toMatchObject([{ reason: 'dependency', chunks: 1 }]);
  await report({ n: 2, e: 1, w: { [parent]: { d: '0' } } });
  await api.settle();
  expect((await api.request('GET', `/v1/jobs/${parent}`)).json.status.state).toBe('done');
  const free = await api.request('POST', '/v1/plan', { body: { dependsOn: [parent] } });
  expect(free.json).toMatchObject({ feasible: true, placed: 1, waiting: [] });
});
