import type { ApiAnswer, ApiStage } from '../lambdas/api/api-stage.ts';

/** It is read, and read again with the tag of the first answer. */
export async function readTwice(api: ApiStage, path: string): Promise<ApiAnswer> {
  const { headers } = await api.request('GET', path);
  return api.request('GET', path, { headers: { 'if-none-match': headers.etag ?? '' } });
}
