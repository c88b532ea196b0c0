import type { ApiAnswer, ApiStage } from '../lambdas/api/api-stage.ts';
import { readTwice } from './read-twice.ts';

/** How to bring about what is answered about jobspecs. */
type Make = (things: unknown, api: ApiStage) => Promise<ApiAnswer>;

export const jobspec = { version: 1, resources: { one: { type: 'node' } }, tasks: [] as object[] };
jobspec.tasks.push({ name: 'a', command: ['true'], resources: 'one' });

export async function submittedJobspec(api: ApiStage, spec: object = jobspec): Promise<string> {
  return (await api.request('POST', '/v1/jobspecs', { body: spec })).json.id;
}

export const ofJobspec =
  (method: string, more: string): Make =>
  async (_, api) =>
    api.request(method, `/v1/jobspecs/${await submittedJobspec(api)}${more}`);

export const jobspecAgain: Make = async (_, api) =>
  readTwice(api, `/v1/jobspecs/${await submittedJobspec(api)}`);

/** What waits for a job that was cancelled has failed, and may be tried again. */
export async function retryFailedJobspec(_: unknown, api: ApiStage): Promise<ApiAnswer> {
  const [first] = jobspec.tasks;
  const tasks = [first, { ...first, name: 'b', depends_on: ['a'] }];
  const { id, jobs } = (await api.request('POST', '/v1/jobspecs', { body: { ...jobspec, tasks } }))
    .json;
  await api.request('DELETE', `/v1/jobs/${jobs[0].job.id}`);
  await api.settle();
  await api.settle();
  return api.request('POST', `/v1/jobspecs/${id}/retry`);
}
