import { jobIdOf } from '../../core/model/names.ts';
import type { ApiAnswer, ApiStage } from '../lambdas/api/api-stage.ts';

type Make = (things: unknown, api: ApiStage) => Promise<ApiAnswer>;

const read =
  (path: string): Make =>
  (_, api) =>
    api.request('GET', path);

export const eventSuccesses: Readonly<Record<string, Readonly<Record<number, Make>>>> = {
  listFleetEvents: { 200: read('/v1/events') },
  streamFleetEvents: { 307: read('/v1/events/stream?after=now') },
  postGraphql: {
    200: (_, api) => ask(api, '{stats{jobs{total}}}', 'application/json'),
    307: (_, api) => ask(api, 'subscription{stats{jobs{total}}}', 'text/event-stream'),
  },
};

/** A cursor from before the oldest event that is kept. */
export async function readBehindTheLog(api: ApiStage): Promise<ApiAnswer> {
  const event = {
    ...{ id: 'job-1.job.done.1', atMs: 1, kind: 'job.done', job: jobIdOf('job-1'), name: null },
    ...{ edge: null, pool: 'default', queue: 'default', jobspec: null, detail: 'Done.' },
  };
  await api.stores.fleetLog.append([event], Date.now());
  return api.request('GET', '/v1/events?after=1.1');
}

function ask(api: ApiStage, query: string, accept: string): Promise<ApiAnswer> {
  return api.request('POST', '/graphql', { body: { query }, headers: { accept } });
}
