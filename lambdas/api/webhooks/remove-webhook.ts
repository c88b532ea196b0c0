import { audit } from '../http/audit.ts';
import { checkQuery } from '../http/call.ts';
import { checkVersion, readPrecondition } from '../http/precondition.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { visibleWebhook, webhookOfPath, webhookVersion } from './webhook-view.ts';

/** `DELETE /v1/webhooks/{id}`: it is sent nothing more. */
export const removeWebhook = defineOperation({
  name: 'removeWebhook',
  read: (call) => {
    checkQuery(call, []);
    return { id: webhookOfPath(call), precondition: readPrecondition(call) };
  },
  run: async (
    { id, precondition },
    context,
    deps: Pick<Ports, 'webhooks' | 'audit'>,
  ): Promise<void> => {
    await visibleWebhook(id, context.caller, deps);
    checkVersion(precondition, webhookVersion);
    await deps.webhooks.remove(id);
    await audit(context, deps, 'webhook-removed', id);
  },
  answer: () => ({ status: 204 }),
});
