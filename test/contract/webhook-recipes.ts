import { webhooksMax } from '../../core/webhooks/limits.ts';
import type { ApiAnswer, ApiStage } from '../lambdas/api/api-stage.ts';
import { readTwice } from './read-twice.ts';

/** How to bring about every documented answer about webhooks. */
type Make = (things: unknown, api: ApiStage) => Promise<ApiAnswer>;

const body = { url: 'https://example.com/hook', kinds: ['job.*'] };
const create: Make = (_, api) => api.request('POST', '/v1/webhooks', { body });

export async function newWebhook(api: ApiStage): Promise<string> {
  return (await create(null, api)).json.id;
}

const of =
  (method: string): Make =>
  async (things, api) => {
    const { json } = await create(things, api);
    return api.request(method, `/v1/webhooks/${json.id}`);
  };

export const webhookSuccesses: Readonly<Record<string, Readonly<Record<number, Make>>>> = {
  createWebhook: { 201: create },
  listWebhooks: { 200: (_, api) => api.request('GET', '/v1/webhooks') },
  getWebhook: {
    200: of('GET'),
    304: async (_, api) => readTwice(api, `/v1/webhooks/${await newWebhook(api)}`),
  },
  removeWebhook: { 204: of('DELETE') },
};

/** One more than there can be. */
export async function oneWebhookTooMany(api: ApiStage): Promise<ApiAnswer> {
  const { webhooks } = api.stores;
  const { json } = await create(null, api);
  const { webhook, delivery } = (await webhooks.find(json.id))!;
  const trail = { atMs: 0, by: '', action: '', target: '', requestId: '' };
  const others = Array.from({ length: webhooksMax }, (_, at) => `other-${at}`);
  await Promise.all(others.map((id) => webhooks.create({ ...webhook, id }, delivery, trail)));
  const refused = await create(null, api);
  await Promise.all([json.id, ...others].map((id) => webhooks.remove(id)));
  return refused;
}
