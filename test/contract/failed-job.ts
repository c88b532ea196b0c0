import type { ApiAnswer, ApiStage } from '../lambdas/api/api-stage.ts';

/** A job that failed in a pool of its own, and is tried again. */
export async function retryFailed(api: ApiStage, pool: string): Promise<ApiAnswer> {
  const edge = { name: `${pool}-edge`, pool, capacity: { power: 5 } };
  const { secret } = (await api.request('POST', '/v1/edges', { body: edge })).json;
  const tell = (report: object) =>
    api.request('POST', `/v1/edges/${edge.name}/report`, {
      token: secret,
      body: { b: 'boot', e: 0, f: 5, w: {}, ...report },
    });
  await tell({ n: 1 });
  const body = { pool, retries: { attempts: 1 } };
  const { id } = (await api.request('POST', '/v1/jobs', { body })).json;
  await api.settle();
  await tell({ n: 2, e: 1, w: { [id]: { d: '', x: { 0: 7 }, a: '' } } });
  await api.settle();
  return api.request('POST', `/v1/jobs/${id}/retry`);
}
