import type { StoredWebhook, WebhooksStore } from '../../../core/ports/webhooks.ts';
import { putAudit } from '../access/audit-store.ts';
import {
  decodeDelivery,
  decodeWebhook,
  encodeDelivery,
  encodeWebhook,
} from '../rows/rows-webhook.ts';
import { readableRows } from '../rows/unreadable-row.ts';
import { listIndex, lists, webhookRows } from '../schema.ts';
import type { Row, Table } from '../table.ts';
import { transactWithRetry } from '../transact-with-retry.ts';
import { deliveryKey, webhookKey } from './webhook-keys.ts';

/** Two rows each: what was asked for, and how far its receiver has got. */
export function createWebhooksStore(table: Table): WebhooksStore {
  const read = async (keys: readonly { readonly pk: string }[]): Promise<StoredWebhook[]> => {
    const rows = await table.getMany(
      keys.flatMap(({ pk }) => [
        { pk, sk: webhookRows.webhook },
        { pk, sk: webhookRows.delivery },
      ]),
    );
    const deliveries = new Map(
      rows
        .filter(({ sk }) => sk === webhookRows.delivery)
        .map((row): [string, Row] => [row.pk, row]),
    );
    const own = rows.filter(({ pk, sk }) => sk === webhookRows.webhook && deliveries.has(pk));
    const found = readableRows(table, own, (row) => {
      return { webhook: decodeWebhook(row), delivery: decodeDelivery(deliveries.get(row.pk)!) };
    });
    return found.sort((a, b) => (a.webhook.id < b.webhook.id ? -1 : 1));
  };
  return {
    find: async (id) => (await read([webhookKey(id)]))[0] ?? null,
    list: async () => read(await table.queryAll({ pk: lists.webhooks, index: listIndex.name })),
    async create(webhook, delivery, audit) {
      await transactWithRetry(table, [
        { kind: 'put', row: encodeWebhook(webhook) },
        { kind: 'put', row: encodeDelivery(webhook.id, delivery) },
        putAudit(audit),
      ]);
    },
    async deliveryOf(id) {
      const row = await table.get(deliveryKey(id));
      return row === null ? null : decodeDelivery(row);
    },
    begin: (id, delivery) =>
      table.put(encodeDelivery(id, delivery), { expression: 'attribute_not_exists(#pk)' }),
    save: (id, next, seen) =>
      table.put(encodeDelivery(id, next), { expression: '#turn = :seen', values: { seen } }),
    async remove(id) {
      // How far its receiver has got goes first: without that nobody sends it anything more.
      await table.remove(deliveryKey(id));
      return table.remove(webhookKey(id), { expression: 'attribute_exists(#pk)' });
    },
  };
}
