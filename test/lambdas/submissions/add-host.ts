import { expect } from 'vitest';
import type { ApiStage } from '../api/api-stage.ts';

/** A host of the pool that has said that it is there. */
export async function addHost(api: ApiStage, name: string, capacity: object): Promise<string> {
  const body = { name, capacity };
  const { status, text, json } = await api.request('POST', '/v1/edges', { body });
  expect(status, text).toBe(201);
  const report = { b: 'boot', e: 99, n: 1, f: 250, w: {} };
  await api.request('POST', `/v1/edges/${name}/report`, { token: json.secret, body: report });
  await api.settle();
  return json.secret;
}
