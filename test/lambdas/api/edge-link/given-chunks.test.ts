import { beforeAll, describe, expect, test } from 'vitest';
import { simulatedStores } from '../../../contract/simulated-stores.ts';
import { type ApiStage, createApiStage } from '../api-stage.ts';
import { enrolEdge, submitJob, type WorkingEdge } from '../working-edge.ts';

/** What an edge may read and write of a job hangs on the chunks that it was given. */
let api: ApiStage;
let holder: WorkingEdge;
let neighbour: WorkingEdge;
let job: string;

beforeAll(async () => {
  api = createApiStage(simulatedStores());
  holder = await enrolEdge(api, 'holder');
  neighbour = await enrolEdge(api, 'neighbour');
  job = await submitJob(api, {
    chunks: 2,
    run: { process: { argv: ['true'], env: { PASSWORD: 'very secret' } } },
    requires: { edges: ['holder'] },
  });
});

const spec = (token: string) => api.request('GET', `/v1/jobs/${job}/spec`, { token });

function upload(chunk: number, { secret }: WorkingEdge) {
  const headers = { 'content-type': 'text/plain' };
  const path = `/v1/jobs/${job}/chunks/${chunk}/output`;
  return api.request('PUT', path, { token: secret, raw: 'forged', headers });
}

describe('an edge of the pool that knows the id of a job', () => {
  test('does not see the spec, whose environment may hold secrets', async () => {
    const answer = await spec(neighbour.secret);
    expect(answer.status).toBe(404);
    expect(answer.text).not.toContain('secret');
    expect((await spec(holder.secret)).json.run.process.env).toEqual({ PASSWORD: 'very secret' });
  });

  test('keeps no output of chunks that it was never given', async () => {
    expect((await upload(0, neighbour)).status).toBe(403);
    expect((await upload(0, holder)).status).toBe(204);
    const kept = await api.request('GET', `/v1/jobs/${job}/chunks/0/output`);
    expect(kept.text).toBe('forged');
    expect((await upload(2, holder)).status).toBe(404);
  });

  test('does both again when the work comes to it, and after it went', async () => {
    const body = { requires: { edges: ['neighbour'] }, chunks: 1, name: 'second' };
    const other = await submitJob(api, body);
    const path = `/v1/jobs/${other}/spec`;
    const { secret: token } = neighbour;
    expect((await api.request('GET', path, { token })).status).toBe(200);
    expect((await api.request('GET', path, { token: holder.secret })).status).toBe(404);
    await neighbour.report({ w: { [other]: { d: '0' } } });
    expect((await api.request('GET', `/v1/jobs/${other}`)).json.status.state).toBe('done');
    expect((await api.request('GET', path, { token })).status).toBe(200);
  });
});

test('a removed edge holds nothing', async () => {
  const gone = await enrolEdge(api, 'gone');
  await api.request('DELETE', '/v1/edges/gone?force=true');
  expect((await spec(gone.secret)).status).toBe(401);
  expect((await upload(0, gone)).status).toBe(401);
});
