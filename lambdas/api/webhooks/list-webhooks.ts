import { namePattern } from '../../../core/model/names.ts';
import { checkQuery } from '../http/call.ts';
import { readPaging } from '../http/cursor.ts';
import { pageAnswer, pageOf } from '../http/page.ts';
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
    const { position, limit } = paging;
    const seen = (await deps.webhooks.list()).filter(
      (it) => isVisible(it, caller) && (position === null || it.webhook.id > position),
    );
    const items = seen.slice(0, limit).map((it) => webhookView(it, nowMs));
    return pageOf(paging, items, ({ id }) => id, seen.length > limit ? items.at(-1)!.id : null);
  },
  answer: pageAnswer,
});
