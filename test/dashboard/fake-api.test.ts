import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type * as z from 'zod';
import { edgeJobListSchema, edgeListSchema, edgeSchema } from '../../core/contract/edge-answer.ts';
import {
  statsHistorySchema,
  statsSchema,
  tokenListSchema,
  tokenSchema,
} from '../../core/contract/fleet-body.ts';
import {
  chunkListSchema,
  eventListSchema,
  executionListSchema,
  explainSchema,
  jobListSchema,
  jobSchema,
  planSchema,
} from '../../core/contract/job-answer.ts';
import { type FakeApi, startFakeApi } from '../browser/fake-api.ts';
import { makeWorld, placeJob } from '../browser/fake-world.ts';

/**
 * The stand-in that the browser tests run against answers in the schemas of the API, or they would
 * prove nothing.
 */
let api: FakeApi;
let jobId: string;

beforeAll(async () => {
  api = await startFakeApi(makeWorld(60, 80, Date.now()));
  const jobs = [...api.world.jobs.values()];
  const failed = jobs.find((job) => job.failed.length > 0);
  if (failed === undefined) throw new Error('the world should have a failed job');
  jobId = failed.id;
  placeJob(api.world, failed, ['edge-1', 'edge-2']);
});

afterAll(() => api.close());

async function ask(path: string, method = 'GET', body?: unknown): Promise<unknown> {
  const init: RequestInit = { method, headers: { authorization: `Bearer ${api.token}` } };
  if (body !== undefined) init.body = JSON.stringify(body);
  const response = await fetch(api.url + path, init);
  return response.json();
}

describe('the fake API', () => {
  const lists: [string, z.ZodType][] = [
    ['/v1/stats', statsSchema],
    ['/v1/stats/history', statsHistorySchema],
    ['/v1/tokens', tokenListSchema],
    ['/v1/edges?limit=500', edgeListSchema],
    ['/v1/edges/edge-1', edgeSchema],
    ['/v1/edges/edge-1/jobs', edgeJobListSchema],
    ['/v1/jobs?limit=500', jobListSchema],
    ['/v1/jobs/:id', jobSchema],
    ['/v1/jobs/:id/events', eventListSchema],
    ['/v1/jobs/:id/chunks?state=dead', chunkListSchema],
    ['/v1/jobs/:id/executions', executionListSchema],
    ['/v1/jobs/:id/explain', explainSchema],
  ];
  test.each(lists)('answers %s as the API does', async (path, schema) => {
    const answer = schema.safeParse(await ask(path.replace(':id', jobId)));
    expect(answer.error?.issues ?? []).toEqual([]);
  });

  test('makes tokens as the API does', async () => {
    const body = { name: 'ci', scopes: ['jobs:read'] };
    const made = tokenSchema.safeParse(await ask('/v1/tokens', 'POST', body));
    expect(made.error?.issues ?? []).toEqual([]);
    const listed = tokenListSchema.parse(await ask('/v1/tokens'));
    expect(listed.items.map(({ name, secret }) => [name, secret])).toEqual([['ci', undefined]]);
  });

  test('plans and submits as the API does', async () => {
    const planned = planSchema.safeParse(await ask('/v1/plan', 'POST', { power: 400 }));
    expect(planned.error?.issues ?? []).toEqual([]);
    const job = jobSchema.safeParse(await ask('/v1/jobs', 'POST', { power: 400, chunks: 8 }));
    expect(job.error?.issues ?? []).toEqual([]);
  });
});
