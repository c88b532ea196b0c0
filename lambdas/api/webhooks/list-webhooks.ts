import { namePattern } from '../../../core/model/names.ts';
import { checkQuery } from '../http/call.ts';
import { readPaging } from '../http/cursor.ts';
import { pageAnswer, pageOfRest } from '../http/page.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { isVisible, webhookView } from './webhook-view.ts';

/** `GET /v1/webhooks`: those that the caller sees, the oldest first. */
export const listWebhooks = defineOperation({
  name: 'listWebhooks',
  read: (call) => {
    checkQuery(call, ['limit', 'cursor']);
    return { paging: readPaging(call, { name: 'webhooks', position: namePattern }) };
  },
  run: async ({ paging }, { caller, nowMs }, deps: Pick<Ports, 'webhooks'>) => {
    const { position } = paging;
    const seen = (await deps.webhooks.list()).filter(
      (it) => isVisible(it, caller) && (position === null || it.webhook.id > position),
    );
    const rest = seen.map((it) => webhookView(it, nowMs));
    return pageOfRest(paging, rest, ({ id }) => id);
  },
  answer: pageAnswer,
});
