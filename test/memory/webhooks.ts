import type { WebhooksStore } from '../../core/ports/webhooks.ts';
import type { Stored } from './stored.ts';

/** Webhooks in memory. */
export function createMemoryWebhooks({
  webhooks,
  deliveries,
  audit: trail,
}: Stored): WebhooksStore {
  const stored = (id: string) => {
    const [webhook, delivery] = [webhooks.get(id), deliveries.get(id)];
    return webhook === undefined || delivery === undefined ? null : { webhook, delivery };
  };
  return {
    find: async (id) => stored(id),
    list: async () => [...webhooks.keys()].sort().flatMap((id) => stored(id) ?? []),
    async create(webhook, delivery, audit) {
      webhooks.set(webhook.id, webhook);
      deliveries.set(webhook.id, delivery);
      trail.push(audit);
    },
    deliveryOf: async (id) => deliveries.get(id) ?? null,
    async begin(id, delivery) {
      if (deliveries.has(id)) return false;
      deliveries.set(id, delivery);
      return true;
    },
    async save(id, next, seenTurn) {
      if (deliveries.get(id)?.turn !== seenTurn) return false;
      deliveries.set(id, next);
      return true;
    },
    async remove(id) {
      deliveries.delete(id);
      return webhooks.delete(id);
    },
  };
}
