import type { WebhooksStore } from '../../../core/ports/webhooks.ts';
import { deliveryBudgetMs, receiversAtOnce } from '../../../core/webhooks/limits.ts';
import { isSentTo, type Webhook } from '../../../core/webhooks/webhook.ts';
import { forEachLimited } from '../../for-each-limited.ts';
import { type CarryDeps, carryEvents, type EventReceiver, isDue } from './carry-events.ts';
import type { PostEvent } from './post-event.ts';
import { sendEvent } from './send-event.ts';

/** Sends to every webhook what it has not got yet, and none waits for another. */
export type DeliverDeps = Omit<CarryDeps, 'webhooks'> & {
  readonly webhooks: Pick<WebhooksStore, 'list' | 'save'>;
  readonly post: PostEvent;
};

export async function deliverWebhooks(deps: DeliverDeps): Promise<void> {
  const begunAtMs = deps.clock.nowMs();
  const due = (await deps.webhooks.list()).filter(({ delivery }) => isDue(delivery, begunAtMs));
  await forEachLimited(due, receiversAtOnce, async ({ webhook, delivery }) => {
    try {
      await carryEvents(receiverOf(webhook, deps), delivery, begunAtMs + deliveryBudgetMs, deps);
    } catch (error) {
      deps.log.error('a receiver got nothing', { webhook: webhook.id, error });
    }
  });
}

function receiverOf(webhook: Webhook, { post, clock }: DeliverDeps): EventReceiver {
  return {
    id: webhook.id,
    atOnce: 1,
    wants: (event) => isSentTo(webhook, event),
    send([event]) {
      return sendEvent(event!, webhook, { post, clock });
    },
  };
}
