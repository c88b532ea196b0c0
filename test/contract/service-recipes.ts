import type { Route } from '../../core/contract/routes.ts';
import type { ApiAnswer, ApiStage } from '../lambdas/api/api-stage.ts';

/** A service with a generation before the present one, and what can be asked of it. */
async function makeService(api: ApiStage): Promise<string> {
  const body = { kind: 'service', chunks: 2, run: { process: { argv: ['httpd'] } } };
  const { json } = await api.request('POST', '/v1/jobs', { body });
  const next = { ...body, run: { process: { argv: ['httpd', '-v'] } } };
  await api.request('PUT', `/v1/jobs/${json.id}`, { body: next });
  return `/v1/jobs/${json.id}`;
}

export const ofService =
  (method: string, path: string, body?: object) =>
  async (_: unknown, api: ApiStage): Promise<ApiAnswer> =>
    api.request(method, `${await makeService(api)}${path}`, body === undefined ? {} : { body });

export const serviceSuccesses = {
  listGenerations: { 200: ofService('GET', '/generations') },
  rollbackJob: { 202: ofService('POST', '/rollback', {}) },
  stopChunk: { 202: ofService('DELETE', '/chunks/0') },
  restartJob: { 202: ofService('POST', '/restart', { chunks: '0' }) },
};

/** Of a job that is none: its answer is a conflict. */
export const isOfService = ({ operation }: Route): boolean => operation in serviceSuccesses;
