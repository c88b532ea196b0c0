import { expect } from 'vitest';
import type { ApiStage } from './api-stage.ts';

/** An edge that was enrolled over HTTP and answers for itself. */
export type WorkingEdge = {
  readonly secret: string;
  /** Reports, and lets the passes see it. */
  report(progress?: object): Promise<void>;
};

export async function enrolEdge(api: ApiStage, name: string, pool = 'default') {
  const body = { name, pool, capacity: { power: 250 } };
  const { status, text, json } = await api.request('POST', '/v1/edges', { body });
  expect(status, text).toBe(201);
  const secret: string = json.secret;
  let sequence = 0;
  const edge: WorkingEdge = {
    secret,
    async report(progress = {}) {
      const report = { b: 'boot', e: 99, n: ++sequence, f: 250, w: {}, ...progress };
      const path = `/v1/edges/${name}/report`;
      const answer = await api.request('POST', path, { token: secret, body: report });
      expect(answer.status, answer.text).toBe(202);
      await api.settle();
    },
  };
  await edge.report();
  return edge;
}

export async function submitJob(api: ApiStage, body: object): Promise<string> {
  const { status, text, json } = await api.request('POST', '/v1/jobs', { body });
  expect(status, text).toBe(202);
  await api.settle();
  return json.id;
}

/** A token with all scopes that a place may be limited to. */
export async function makeToken(api: ApiStage, limits: object): Promise<string> {
  const scopes = ['jobs:read', 'jobs:write', 'edges:read', 'edges:write', 'fleet:admin'];
  const body = { name: 'test', scopes, ...limits };
  const { status, text, json } = await api.request('POST', '/v1/tokens', { body });
  expect(status, text).toBe(201);
  return json.secret;
}
