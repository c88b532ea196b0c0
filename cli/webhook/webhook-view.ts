import type { Webhook } from '../../core/contract/resources.ts';
import { formatFields, type Table } from '../output/table.ts';

export function webhookPath(id: string): string {
  return `/v1/webhooks/${encodeURIComponent(id)}`;
}

export const webhookTable: Table<Webhook> = {
  name: (webhook) => webhook.id,
  columns: [
    { title: 'ID', of: (webhook) => webhook.id },
    { title: 'STATE', of: (webhook) => webhook.state },
    { title: 'FAILURES', of: (webhook) => String(webhook.failures) },
    { title: 'KINDS', of: (webhook) => webhook.kinds.join(',') },
    { title: 'URL', of: (webhook) => webhook.url },
    { title: 'POOL', of: (webhook) => webhook.pool ?? '-', wide: true },
    { title: 'JOB', of: (webhook) => webhook.job ?? '-', wide: true },
  ],
};

export function describeWebhook(webhook: Webhook): string {
  const { last } = webhook;
  const answer = last === null ? null : (last.error ?? `answered ${last.status}`);
  return formatFields([
    ['id', webhook.id],
    ['url', webhook.url],
    ['kinds', webhook.kinds.join(',')],
    ['pool', webhook.pool],
    ['job', webhook.job],
    ['state', webhook.state],
    ['failures', webhook.failures === 0 ? null : String(webhook.failures)],
    ['next', webhook.nextAt],
    ['missed before', webhook.missedBefore],
    ['last', last === null ? null : `${last.at} ${answer} ${last.event}`],
  ]);
}
