import { beforeAll, expect, test } from 'vitest';
import type * as z from 'zod';
import { edgeJobListSchema, edgeListSchema } from '../../core/contract/edge-answer.ts';
import { statsHistorySchema, statsSchema } from '../../core/contract/fleet-body.ts';
import {
  chunkListSchema,
  eventListSchema,
  executionListSchema,
  explainSchema,
  jobListSchema,
} from '../../core/contract/job-answer.ts';
import { type Fleet, makeFleet } from '../browser/fleet.ts';

/**
 * The fleet that the browser tests drive is made of stored rows, so it is looked at as the API
 * shows it: in the schemas of the API, and with something of every kind.
 */
let fleet: Fleet;
let failed: string;

beforeAll(async () => {
  fleet = await makeFleet(400, 80, Date.now());
  failed = (await read('/v1/jobs?state=failed')).items[0].id;
});

async function read(path: string) {
  const answer = await fleet.api.request('GET', path);
  expect(answer.status, answer.text).toBe(200);
  return answer.json;
}

const lists: [string, z.ZodType][] = [
  ['/v1/stats', statsSchema],
  ['/v1/stats/history', statsHistorySchema],
  ['/v1/edges?limit=500', edgeListSchema],
  ['/v1/edges/edge-1/jobs', edgeJobListSchema],
  ['/v1/jobs?limit=500', jobListSchema],
  ['/v1/jobs/:failed/events', eventListSchema],
  ['/v1/jobs/:failed/chunks?state=dead', chunkListSchema],
  ['/v1/jobs/:failed/executions', executionListSchema],
  ['/v1/jobs/:failed/explain', explainSchema],
];

test.each(lists)('%s is as the API says', async (path, schema) => {
  const answer = schema.safeParse(await read(path.replace(':failed', failed)));
  expect(answer.error?.issues ?? []).toEqual([]);
});

test('there are edges in every state, most of them with a load that the passes leave alone', async () => {
  const { items } = await read('/v1/edges?limit=500');
  const states = new Set(items.map(({ state }: { state: string }) => state));
  expect([...states].sort()).toEqual(['connected', 'disconnected', 'lost']);
  expect(items.filter(({ busy }: { busy: boolean }) => busy).length).toBeGreaterThan(300);
  await fleet.api.settle();
  expect((await read('/v1/edges?limit=500')).items).toEqual(items);
});
