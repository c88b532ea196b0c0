import { createAuditStore } from '../../../adapters/dynamodb/access/audit-store.ts';
import { createIdempotencyStore } from '../../../adapters/dynamodb/access/idempotency-store.ts';
import { createTokensStore } from '../../../adapters/dynamodb/access/tokens-store.ts';
import { createEdgesStore } from '../../../adapters/dynamodb/fleet/edges-store.ts';
import { createPoolsStore } from '../../../adapters/dynamodb/fleet/pools-store.ts';
import { createQueuesStore } from '../../../adapters/dynamodb/fleet/queues-store.ts';
import { getPool } from '../../api/fleet/get-pool.ts';
import { getQueue } from '../../api/fleet/get-queue.ts';
import { listPools } from '../../api/fleet/list-pools.ts';
import { listQueues } from '../../api/fleet/list-queues.ts';
import { putPool } from '../../api/fleet/put-pool.ts';
import { putQueue } from '../../api/fleet/put-queue.ts';
import { removePool } from '../../api/fleet/remove-pool.ts';
import { removeQueue } from '../../api/fleet/remove-queue.ts';
import { serve } from '../../api/http/serve.ts';
import { onTable } from '../../api/http/table-deps.ts';
import { createToken } from '../../api/tokens/create-token.ts';
import { listAudit } from '../../api/tokens/list-audit.ts';
import { listTokens } from '../../api/tokens/list-tokens.ts';
import { revokeToken } from '../../api/tokens/revoke-token.ts';

export const adminOperations = {
  listPools,
  getPool,
  putPool,
  removePool,
  listQueues,
  getQueue,
  putQueue,
  removeQueue,
  listTokens,
  createToken,
  revokeToken,
  listAudit,
};

const ports = onTable({
  pools: createPoolsStore,
  edges: createEdgesStore,
  queues: createQueuesStore,
  tokens: createTokensStore,
  audit: createAuditStore,
  idempotency: createIdempotencyStore,
});

/** Pools, queues, tokens and the audit trail. */
export const handler = serve('admin', adminOperations, ports);
