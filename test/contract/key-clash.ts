import { createHash } from 'node:crypto';
import type { Route } from '../../core/contract/routes.ts';
import type { ApiAnswer, ApiStage } from '../lambdas/api/api-stage.ts';
import { jobspec } from './jobspec-recipes.ts';

const created: Readonly<Record<string, unknown>> = {
  submitJob: { power: 9 },
  submitJobs: { jobs: [{ power: 9 }] },
  submitJobspec: jobspec,
  enrolEdge: { name: 'clash', capacity: { power: 5 } },
  createToken: { name: 'clash', scopes: ['jobs:read'] },
  createSchedule: { name: 'clash', cron: '@daily', job: {} },
  createWebhook: { url: 'https://example.com/clash', kinds: ['job.done'] },
  createSubmitToken: { name: 'clash' },
  acceptOffers: { jobs: ['nobody'] },
};

type Holder = { readonly edge: string; readonly edgeSecret: string };

let keys = 0;

/** A key whose first request is still on its way: with the same body 409, with another one 422. */
export async function keyClash(
  route: Route,
  status: number,
  things: Holder,
  api: ApiStage,
): Promise<ApiAnswer> {
  const isOwn = route.access?.scope === null;
  const path = route.path.replace('{name}', things.edge);
  const key = `clash-${++keys}`;
  const raw = JSON.stringify(created[route.operation]);
  const digest = createHash('sha256')
    .update(`${route.method} ${path}\n`)
    .update(status === 409 ? raw : 'another')
    .digest('base64url');
  const owner = isOwn ? `edge:${things.edge}` : 'token:admin';
  await api.stores.idempotency.claim({ owner, key, digest }, Date.now(), 0);
  const headers = { 'idempotency-key': key };
  const token = isOwn ? { token: things.edgeSecret } : {};
  return api.request(route.method, path, { raw, headers, ...token });
}
