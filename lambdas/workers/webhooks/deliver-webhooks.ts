import type { FleetEvent } from '../../../core/events/fleet-event.ts';
import { shownEvent } from '../../../core/events/fleet-event.ts';
import type { WebhooksStore } from '../../../core/ports/webhooks.ts';
import { deliveryBudgetMs, receiversAtOnce } from '../../../core/webhooks/limits.ts';
import { isSentTo, type Webhook } from '../../../core/webhooks/webhook.ts';
import { forEachLimited } from '../../for-each-limited.ts';
import { type CarryDeps, carryEvents, type EventReceiver, isDue } from './carry-events.ts';
import type { PostEvent } from './post-event.ts';
import { signatureOf } from './sign-event.ts';

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
    async send([event]) {
      const posted = await post(webhook.url, ...requestOf(event!, webhook.secret, clock.nowMs()));
      const isTaken = posted.status !== null && posted.status >= 200 && posted.status < 300;
      return { ...posted, isTaken, atMs: clock.nowMs(), event: event!.id };
    },
  };
}

function requestOf(event: FleetEvent, secret: string, nowMs: number) {
  const body = JSON.stringify(shownEvent(event));
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'edgewise-webhooks',
    'edgewise-event': encodeURIComponent(event.id),
    'edgewise-kind': event.kind,
    'edgewise-signature': signatureOf(secret, body, nowMs),
  };
  return [headers, body] as const;
}
