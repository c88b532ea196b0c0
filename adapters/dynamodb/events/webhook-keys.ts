import type { Key, ListKey } from '../keys.ts';
import { lists, partitions, webhookRows } from '../schema.ts';

export function webhookKey(id: string): Key {
  return { pk: `${partitions.webhook}${id}`, sk: webhookRows.webhook };
}

export function deliveryKey(id: string): Key {
  return { ...webhookKey(id), sk: webhookRows.delivery };
}

export function webhookOfRow({ pk }: Pick<Key, 'pk'>): string {
  return pk.slice(partitions.webhook.length);
}

export function webhookListKey(id: string): ListKey {
  return { listPk: lists.webhooks, listSk: id };
}
