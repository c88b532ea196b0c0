import { serve } from '../http/serve.ts';
import { onTable } from '../http/table-deps.ts';
import { adminDeps } from './deps.ts';
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

/** Pools, queues, tokens and the audit trail. */
export const handler = serve('admin', adminOperations, onTable(adminDeps));
