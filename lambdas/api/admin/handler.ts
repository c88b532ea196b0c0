import { createAuditStore } from '../../../adapters/dynamodb/audit-store.ts';
import { createIdempotencyStore } from '../../../adapters/dynamodb/idempotency-store.ts';
import { createPoolsStore } from '../../../adapters/dynamodb/pools-store.ts';
import { createQueuesStore } from '../../../adapters/dynamodb/queues-store.ts';
import { createTokensStore } from '../../../adapters/dynamodb/tokens-store.ts';
import { serve } from '../http/serve.ts';
import { onTable } from '../http/table-deps.ts';
import { createToken } from './create-token.ts';
import { getPool } from './get-pool.ts';
import { getQueue } from './get-queue.ts';
import { listAudit } from './list-audit.ts';
import { listPools } from './list-pools.ts';
import { listQueues } from './list-queues.ts';
import { listTokens } from './list-tokens.ts';
import { putPool } from './put-pool.ts';
import { putQueue } from './put-queue.ts';
import { revokeToken } from './revoke-token.ts';

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
