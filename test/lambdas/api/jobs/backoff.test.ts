import { beforeEach, expect, test } from 'vitest';
import { createMemoryStores } from '../../../memory/stores.ts';
import { type ApiStage, createApiStage } from '../api-stage.ts';
import { enrolEdge, submitJob } from '../working-edge.ts';

let nowMs: number;
let api: ApiStage;
beforeEach(() => {
  nowMs = Date.parse('2026-05-01T16:20:40Z');
  api = createApiStage(createMemoryStores(), { clock: { nowMs: () => nowMs } });
});

test('of what failed the job says when it is tried again and after what, as explain does', async () => {
  const edge = await enrolEdge(api, 'red');
  const retries = { attempts: 3, backoffSeconds: 60 };
  const id = await submitJob(api, { chunks: 2, retries });
  const failed = { w: { [id]: { d: '', x: { 0: 1 }, a: '1' } } };
  await edge.report(failed);
  const { waiting } = (await api.request('GET', `/v1/jobs/${id}`)).json.status;
  const { reasons } = (await api.request('GET', `/v1/jobs/${id}/explain`)).json;
  expect(waiting).toEqual([expect.objectContaining({ reason: 'backoff', chunks: 1 })]);
  expect(waiting[0].detail).toMatch(/^tried again at 16:2\d:\d\d after exit code 1$/);
  expect(reasons[0].detail).toBe(waiting[0].detail);
  const query = `{ job(id: "${id}") { status { waiting { detail } } } }`;
  const graph = await api.request('POST', '/graphql', { body: { query } });
  expect(graph.json.data.job.status.waiting).toEqual([{ detail: waiting[0].detail }]);
});
