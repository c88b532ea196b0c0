import { audit } from '../http/audit.ts';
import { checkQuery } from '../http/call.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { visibleWebhook, webhookOfPath } from './webhook-view.ts';

/** `DELETE /v1/webhooks/{id}`: it is sent nothing more. */
export const removeWebhook = defineOperation({
  name: 'removeWebhook',
  read: (call) => {
    checkQuery(call, []);
    return webhookOfPath(call);
  },
  run: async (id, context, deps: Pick<Ports, 'webhooks' | 'audit'>): Promise<void> => {
    await visibleWebhook(id, context.caller, deps);
    await deps.webhooks.remove(id);
    await audit(context, deps, 'webhook-removed', id);
  },
  answer: () => ({ status: 204 }),
});
