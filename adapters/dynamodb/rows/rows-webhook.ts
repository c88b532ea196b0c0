import { isScope } from '../../../core/model/caller.ts';
import type { Delivery, Webhook } from '../../../core/webhooks/webhook.ts';
import { deliveryKey, webhookKey, webhookListKey, webhookOfRow } from '../events/webhook-keys.ts';
import type { Row } from '../table.ts';
import { json, text, textOrNull, time, timeOrNull, whole } from './row-values.ts';
import { isAttempt } from './rows-end-notice.ts';
import { isText, listOf, orNull, recordOf } from './shapes.ts';

/** `WEBHOOK#<id>/WEBHOOK`: what users have set of it. */
export function encodeWebhook(webhook: Webhook): Row {
  const { id, kinds, sees, ...plain } = webhook;
  const lists = { kinds: JSON.stringify(kinds), sees: JSON.stringify(sees) };
  return { ...plain, ...webhookKey(id), ...webhookListKey(id), ...lists };
}

const areTexts = listOf(isText);
const isSight = recordOf({ scopes: areTexts, pool: orNull(isText), queue: orNull(isText) });

export function decodeWebhook(row: Row): Webhook {
  const sees = json<Webhook['sees'] | null>(row.sees, isSight, null);
  // Without it nobody knows what it may be notified.
  if (sees === null) throw new Error(`${row.pk} ${row.sk} does not say what it sees`);
  return {
    id: webhookOfRow(row),
    url: text(row.url),
    kinds: json<string[]>(row.kinds, areTexts, []),
    pool: textOrNull(row.pool),
    job: textOrNull(row.job),
    secret: text(row.secret),
    sees: { ...sees, scopes: sees.scopes.filter(isScope) },
    createdAtMs: time(row.createdAtMs),
    createdBy: text(row.createdBy, ''),
  };
}

/** `WEBHOOK#<id>/DELIVERY`: how far its receiver has got. */
export function encodeDelivery(id: string, { position, last, ...plain }: Delivery): Row {
  const texts = { position: JSON.stringify(position), last: JSON.stringify(last) };
  return { ...plain, ...deliveryKey(id), ...texts };
}

const isPosition = orNull(recordOf({ batch: Number.isSafeInteger, events: Number.isSafeInteger }));
export function decodeDelivery(row: Row): Delivery {
  return {
    position: json<Delivery['position']>(row.position, isPosition, null),
    failures: whole(row.failures),
    failingSinceMs: timeOrNull(row.failingSinceMs),
    nextAtMs: time(row.nextAtMs, 0),
    last: json<Delivery['last']>(row.last, isAttempt, null),
    missedBeforeMs: timeOrNull(row.missedBeforeMs),
    busyUntilMs: time(row.busyUntilMs, 0),
    turn: whole(row.turn),
  };
}
