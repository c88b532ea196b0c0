import { type AuditStore, createAuditStore } from '../../../adapters/dynamodb/audit-store.ts';
import {
  createIdempotencyStore,
  type IdempotencyStore,
} from '../../../adapters/dynamodb/idempotency-store.ts';
import { createPoolsStore, type PoolsStore } from '../../../adapters/dynamodb/pools-store.ts';
import type { Table } from '../../../adapters/dynamodb/table.ts';
import { createTokensStore, type TokensStore } from '../../../adapters/dynamodb/tokens-store.ts';

/** What administering pools, queues and tokens needs. */
export type AdminDeps = {
  readonly pools: PoolsStore;
  readonly tokens: TokensStore;
  readonly audit: AuditStore;
  readonly idempotency: IdempotencyStore;
};

export function adminDeps(table: Table): AdminDeps {
  return {
    pools: createPoolsStore(table),
    tokens: createTokensStore(table),
    audit: createAuditStore(table),
    idempotency: createIdempotencyStore(table),
  };
}
