import { beforeAll, describe, expect, test } from 'vitest';
import { simulatedStores } from '../../../contract/simulated-stores.ts';
import { type ApiStage, createApiStage } from '../api-stage.ts';
import { enrolEdge, makeToken, submitJob } from '../working-edge.ts';

/** Who changed a job, and what: on the audit trail, whichever way it was asked for. */
let api: ApiStage;

beforeAll(async () => {
  api = createApiStage(simulatedStores());
});

type Trail = { by: string; action: string; target: string; requestId: string }[];

async function trailOf(id: string): Promise<string[]> {
  const { json } = await api.request('GET', '/v1/audit?limit=500');
  return (json.items as Trail)
    .filter(({ target }) => target === id)
    .map(({ action }) => action)
    .reverse();
}

const graph = (query: string) => api.request('POST', '/graphql', { body: { query } });

describe('the audit trail', () => {
  test('tells of every change over REST, and outlives the job', async () => {
    const edge = await enrolEdge(api, 'worker');
    const id = await submitJob(api, { chunks: 2, retries: { attempts: 1, maxFailedChunks: 5 } });
    const path = `/v1/jobs/${id}`;
    await api.request('PATCH', path, { body: { priority: 70, labels: { team: 'a' } } });
    await edge.report({ w: { [id]: { d: '0', x: { 1: 7 } } } });
    expect((await api.request('POST', `${path}/retry`)).status).toBe(202);
    expect((await api.request('DELETE', path)).status).toBe(202);
    expect((await api.request('DELETE', path)).status).toBe(200);
    await edge.report();
    expect((await api.request('DELETE', `${path}?purge=true`)).status).toBe(204);
    expect(await trailOf(id)).toEqual([
      'job-submitted: simulate, 2 chunks, pool default, queue default',
      'job-edited: priority, labels',
      'job-retried',
      'job-cancelled',
      'job-purged',
    ]);
  });

  test('names who did it, and tells nothing of what was refused', async () => {
    const token = await makeToken(api, { pool: 'red' });
    const body = { pool: 'red', chunks: 1 };
    const { json } = await api.request('PUT', '/v1/jobs/mine', { token, body });
    expect(json.id).toBe('mine');
    await api.request('PUT', '/v1/jobs/mine', { token, body: { ...body, priority: 1 } });
    await api.request('PUT', '/v1/jobs/mine', { token, body: { ...body, chunks: 2 } });
    await api.request('POST', '/v1/jobs', { token, body: { pool: 'blue' } });
    await api.request('POST', '/v1/jobs', { body: { power: -1 } });
    const trail: Trail = (await api.request('GET', '/v1/audit?limit=500')).json.items;
    const mine = trail.filter(({ target }) => target === 'mine');
    expect(mine.map(({ action }) => action)).toEqual([
      'job-edited: priority',
      'job-submitted: simulate, 1 chunk, pool red, queue default',
    ]);
    expect(new Set(mine.map(({ by }) => by))).toEqual(new Set([json.createdBy]));
    expect(json.createdBy).not.toBe('token:admin');
    expect(trail.filter(({ action }) => action.includes('blue'))).toEqual([]);
  });

  test('tells each of several changes that one request made', async () => {
    const fields = ['a', 'b'].map((it) => `${it}: submit(job: {chunks: 1, name: "${it}"}) { id }`);
    const { a, b } = (await graph(`mutation { ${fields.join(' ')} }`)).json.data;
    for (const { id } of [a, b]) {
      expect(await trailOf(id)).toEqual([expect.stringContaining('job-submitted')]);
    }
    const cancels = [a, b].map(({ id }, at) => `c${at}: cancel(id: "${id}") { id }`);
    expect((await graph(`mutation { ${cancels.join(' ')} }`)).json.errors).toBeUndefined();
    for (const { id } of [a, b]) expect(await trailOf(id)).toContain('job-cancelled');
    const settings = 'x: cordon(edge: "worker") { name } y: drain(edge: "worker") { name }';
    await graph(`mutation { ${settings} z: uncordon(edge: "worker") { name } }`);
    expect(await trailOf('worker')).toEqual(
      expect.arrayContaining(['edge-edited: cordoned', 'edge-drained']),
    );
  });

  test('tells every job of a jobspec', async () => {
    const nodes = { limits: { nodes: 2 } };
    await api.request('POST', '/v1/edges', { body: { name: 'lab-1', pool: 'lab', nodes } });
    const tasks = ['one', 'two'].map((name) => ({ name, command: ['true'], resources: 'core' }));
    const jobspec = { version: 1, resources: { core: { type: 'node' } }, tasks };
    const sent = await api.request('POST', '/v1/jobspecs?pool=lab', { body: jobspec });
    expect(sent.status, sent.text).toBe(202);
    for (const { job } of sent.json.jobs) {
      expect(await trailOf(job.id)).toEqual([expect.stringContaining('pool lab')]);
    }
  });
});

test('a timeline tells causes before their effects', async () => {
  const edge = await enrolEdge(api, 'quick', 'quick');
  const id = await submitJob(api, { pool: 'quick', chunks: 1 });
  await api.request('PATCH', `/v1/jobs/${id}`, { body: { labels: { a: 'b' } } });
  await edge.report({ w: { [id]: { a: '0' } } });
  await edge.report({ w: { [id]: { d: '0' } } });
  const { items } = (await api.request('GET', `/v1/jobs/${id}/events`)).json;
  const kinds = items.map(({ kind }: { kind: string }) => kind);
  expect(kinds).toEqual(['submitted', 'scheduled', 'edited', 'started', 'done']);
});
