import { createAuditStore } from '../../../adapters/dynamodb/audit-store.ts';
import { createIdempotencyStore } from '../../../adapters/dynamodb/idempotency-store.ts';
import { createPoolsStore } from '../../../adapters/dynamodb/pools-store.ts';
import { createQueuesStore } from '../../../adapters/dynamodb/queues-store.ts';
import { createTokensStore } from '../../../adapters/dynamodb/tokens-store.ts';
import { serve } from '../http/serve.ts';
import { onTable } from '../http/table-deps.ts';
import { listAudit } from './list-audit.ts';
import { getPool, listPools, putPool } from './pools.ts';
import { getQueue, listQueues, putQueue } from './queues.ts';
import { createToken, listTokens, revokeToken } from './tokens.ts';

export const adminOperations = {
  listPools,
  getPool,
  putPool,
  listQueues,
  getQueue,
  putQueue,
  listTokens,
  createToken,
  revokeToken,
  listAudit,
};

const ports = onTable({
  pools: createPoolsStore,
  queues: createQueuesStore,
  tokens: createTokensStore,
  audit: createAuditStore,
  idempotency: createIdempotencyStore,
});

/** Pools, queues, tokens and the audit trail. */
export const handler = serve('admin', adminOperations, ports);
