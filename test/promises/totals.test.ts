import { beforeAll, expect, test } from 'vitest';
import { simulatedStores } from '../contract/simulated-stores.ts';
import { type ApiStage, createApiStage } from '../lambdas/api/api-stage.ts';
import { readSample } from '../read-sample.ts';

/** The figures of the fleet and the credentials, over the API and the table. */

let api: ApiStage;

beforeAll(async () => {
  api = createApiStage(simulatedStores());
});

async function runJob(secret: string, sequence: number): Promise<string> {
  const { json } = await api.request('POST', '/v1/jobs', { body: { power: 100, chunks: 1 } });
  await api.settle();
  const work = await api.request('GET', '/v1/edges/edge-1/work', { token: secret });
  const report = {
    b: 'boot',
    e: work.json.e,
    n: sequence,
    f: 0,
    w: { [json.id]: { d: '0', a: '' } },
  };
  await api.request('POST', '/v1/edges/edge-1/report', { token: secret, body: report });
  await api.settle();
  return json.id;
}

test('totals never fall, also when the jobs that made them are removed', async () => {
  const body = { name: 'edge-1', capacity: { power: 250 } };
  const { secret } = (await api.request('POST', '/v1/edges', { body })).json;
  await api.request('POST', '/v1/edges/edge-1/report', {
    token: secret,
    body: { b: 'boot', e: 0, n: 1, f: 250, w: {} },
  });
  const first = await runJob(secret, 2);
  await runJob(secret, 3);
  const before = (await api.request('GET', '/v1/stats')).json;
  expect([before.jobs.done, before.chunks.done, before.power.served]).toEqual([2, 2, 200]);
  expect((await api.request('DELETE', `/v1/jobs/${first}?purge=true`)).status).toBe(204);
  await api.settle();
  const after = (await api.request('GET', '/v1/stats')).json;
  expect([after.jobs.done, after.chunks.done, after.power.served]).toEqual([2, 2, 200]);
  expect(after.jobs.total).toBe(before.jobs.total);
});

test('a jobspec becomes jobs, those that wait after those they wait for', async () => {
  const submit = async (name: string) => {
    const raw = readSample(`${name}.yaml`);
    const headers = { 'content-type': 'application/yaml' };
    return api.request('POST', '/v1/jobspecs?unsatisfied=wait', { raw, headers });
  };
  const spack = await submit('spack-experiment/jobspec-spack');
  expect(spack.status).toBe(202);
  const [build, ior] = spack.json.jobs;
  expect([build.task, ior.task]).toEqual(['build', 'ior']);
  expect(ior.job.spec.dependsOn).toEqual([build.job.id]);
  expect([build.job.status.state, ior.job.status.state]).toEqual(['pending', 'waiting']);
  const grouped = await submit('jobspec-nextgen/task-with-group');
  const names = grouped.json.jobs.map(({ task }: { task: string }) => task);
  expect(names).toEqual(['task-1', 'task-2']);
  const refused = await submit('rainbow/scheduler/jobspec-io');
  expect([refused.status, refused.json.errors[0].pointer]).toEqual([400, '/task']);
});

test('no two tokens are alike, none is shown twice, and none is a name', async () => {
  const make = async (name: string) => {
    const body = { name, scopes: ['jobs:read'] };
    return (await api.request('POST', '/v1/tokens', { body })).json;
  };
  const tokens = [await make('blue'), await make('blue'), await make('pink')];
  const secrets = tokens.map(({ secret }) => secret as string);
  expect(new Set(secrets).size).toBe(3);
  for (const secret of secrets) {
    expect(secret.length).toBeGreaterThanOrEqual(40);
    expect(secret).not.toMatch(/blue|pink/);
  }
  const listed = (await api.request('GET', '/v1/tokens')).text;
  for (const secret of secrets) expect(listed).not.toContain(secret);
});
