import { randomUUID } from 'node:crypto';
import type { Job } from '../../core/contract/resources.ts';
import { batchJobsMax } from '../../core/model/limits.ts';
import type { Api } from '../client/api.ts';
import type { JobBody } from './input/job-flags.ts';

/** As many at once as the API takes, in their order; each batch is stored whole or not at all. */
export async function sendBatches(
  client: Api,
  bodies: readonly JobBody[],
  givenKey: string | undefined,
): Promise<readonly Job[]> {
  const key = givenKey ?? randomUUID();
  const jobs: Job[] = [];
  for (let at = 0; at < bodies.length; at += batchJobsMax) {
    const body = { jobs: bodies.slice(at, at + batchJobsMax) };
    const headers = { 'idempotency-key': at === 0 ? key : `${key}.${at}` };
    const answer = await client.ask<{ items: Job[] }>('POST', '/v1/jobs/batch', { body, headers });
    jobs.push(...answer.body.items);
  }
  return jobs;
}
