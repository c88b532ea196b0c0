import { randomBytes } from 'node:crypto';
import { createAuditStore } from '../../../adapters/dynamodb/access/audit-store.ts';
import { createIdempotencyStore } from '../../../adapters/dynamodb/access/idempotency-store.ts';
import { createFleetLog } from '../../../adapters/dynamodb/events/fleet-log.ts';
import { createWebhooksStore } from '../../../adapters/dynamodb/events/webhooks-store.ts';
import { serve } from '../../api/http/serve.ts';
import { onTable } from '../../api/http/table-deps.ts';
import { createWebhook } from '../../api/webhooks/create-webhook.ts';
import { getWebhook } from '../../api/webhooks/get-webhook.ts';
import { listWebhooks } from '../../api/webhooks/list-webhooks.ts';
import { removeWebhook } from '../../api/webhooks/remove-webhook.ts';
import { requiredEnv } from '../../environment.ts';

export const webhooksOperations = { createWebhook, listWebhooks, getWebhook, removeWebhook };

const ports = onTable({
  webhooks: createWebhooksStore,
  fleetLog: createFleetLog,
  audit: createAuditStore,
  idempotency: createIdempotencyStore,
  random: () => ({ bytes: randomBytes }),
  allowsLoopback: () => requiredEnv('LOOPBACK_RECEIVERS') === 'allowed',
});

/** Addresses that are notified of events. */
export const handler = serve('webhooks', webhooksOperations, ports);
