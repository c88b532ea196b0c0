import { notFound } from '../../../core/contract/problem.ts';
import type { WebhookAnswer } from '../../../core/contract/webhooks/webhook-body.ts';
import { type Caller, isBound } from '../../../core/model/caller.ts';
import { isName } from '../../../core/model/names.ts';
import type { StoredWebhook } from '../../../core/ports/webhooks.ts';
import { stateOf } from '../../../core/webhooks/webhook.ts';
import type { Call } from '../http/call.ts';
import type { Ports } from '../ports.ts';

/** No user changes one: it is made and removed. */
export const webhookVersion = 1;

/** A webhook as it looks from outside: never with its secret. */
export function webhookView({ webhook, delivery }: StoredWebhook, nowMs: number): WebhookAnswer {
  const { last } = delivery;
  return {
    id: webhook.id,
    url: webhook.url,
    kinds: [...webhook.kinds],
    pool: webhook.pool,
    job: webhook.job,
    createdAt: timeOf(webhook.createdAtMs),
    createdBy: webhook.createdBy,
    state: stateOf(delivery, nowMs),
    failures: delivery.failures,
    nextAt: delivery.failures === 0 ? null : timeOf(delivery.nextAtMs),
    missedBefore: delivery.missedBeforeMs === null ? null : timeOf(delivery.missedBeforeMs),
    last:
      last === null
        ? null
        : { at: timeOf(last.atMs), event: last.event, status: last.status, error: last.error },
  };
}

const timeOf = (atMs: number): string => new Date(atMs).toISOString();

/** The id in the path. */
export function webhookOfPath(call: Call): string {
  const id = call.params.id ?? '';
  if (!isName(id)) throw notFound('such webhook');
  return id;
}

/** 404 for one that the caller may not see. */
export async function visibleWebhook(
  id: string,
  caller: Caller,
  { webhooks }: Pick<Ports, 'webhooks'>,
): Promise<StoredWebhook> {
  const found = await webhooks.find(id);
  if (found === null || !isVisible(found, caller)) throw notFound(`webhook "${id}"`);
  return found;
}

/** Its address may be a secret of those who made it: who is limited sees those made like itself. */
export function isVisible({ webhook: { sees } }: StoredWebhook, caller: Caller): boolean {
  if (caller.kind === 'edge' || isBound(caller)) return false;
  const isWithin = (limit: string | null, own: string | null) => limit === null || limit === own;
  return isWithin(caller.pool, sees.pool) && isWithin(caller.queue, sees.queue);
}
