import { checkQuery } from '../http/call.ts';
import { tagged } from '../http/etag.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { visibleWebhook, webhookOfPath, webhookVersion, webhookView } from './webhook-view.ts';

/** `GET /v1/webhooks/{id}`: what was asked for, and how it goes. */
export const getWebhook = defineOperation({
  name: 'getWebhook',
  read: (call) => {
    checkQuery(call, []);
    return webhookOfPath(call);
  },
  run: async (id, { caller, nowMs }, deps: Pick<Ports, 'webhooks'>) =>
    webhookView(await visibleWebhook(id, caller, deps), nowMs),
  answer: (view) => tagged(200, { version: webhookVersion, view }),
});
