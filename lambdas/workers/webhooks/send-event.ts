import { type FleetEvent, shownEvent } from '../../../core/events/fleet-event.ts';
import type { Clock } from '../../../core/ports/timers.ts';
import type { EndReceiver } from '../../../core/webhooks/end-receiver.ts';
import type { DeliveryAttempt } from '../../../core/webhooks/webhook.ts';
import type { PostEvent } from './post-event.ts';
import { signatureOf } from './sign-event.ts';

/** One event to one receiver, signed; 200 to 299 is a receipt. */
export async function sendEvent(
  event: FleetEvent,
  { url, secret }: EndReceiver,
  { post, clock }: { readonly post: PostEvent; readonly clock: Clock },
): Promise<DeliveryAttempt & { readonly isTaken: boolean }> {
  const body = JSON.stringify(shownEvent(event));
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'edgewise-webhooks',
    'edgewise-event': encodeURIComponent(event.id),
    'edgewise-kind': event.kind,
    'edgewise-signature': signatureOf(secret, body, clock.nowMs()),
  };
  const posted = await post(url, headers, body);
  const isTaken = posted.status !== null && posted.status >= 200 && posted.status < 300;
  return { ...posted, isTaken, atMs: clock.nowMs(), event: event.id };
}
