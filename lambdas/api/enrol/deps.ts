import { type AuditStore, createAuditStore } from '../../../adapters/dynamodb/audit-store.ts';
import { createEdgesStore, type EdgesStore } from '../../../adapters/dynamodb/edges-store.ts';
import {
  createIdempotencyStore,
  type IdempotencyStore,
} from '../../../adapters/dynamodb/idempotency-store.ts';
import { createJobsStore, type JobsStore } from '../../../adapters/dynamodb/jobs-store.ts';
import { createPoolsStore, type PoolsStore } from '../../../adapters/dynamodb/pools-store.ts';
import type { Table } from '../../../adapters/dynamodb/table.ts';
import { createTokensStore, type TokensStore } from '../../../adapters/dynamodb/tokens-store.ts';
import { type ControlPlane, createControlPlane } from '../../../adapters/iot/control-plane.ts';
import { createEdgeRemovals, type EdgeRemovals } from '../../../adapters/sqs/edge-removals.ts';
import { requiredEnv } from '../../environment.ts';

/**
 * What enrolling and removing edges needs; the only functions that may touch things and
 * certificates.
 */
export type EnrolDeps = {
  readonly edges: EdgesStore;
  readonly jobs: JobsStore;
  readonly pools: PoolsStore;
  readonly tokens: TokensStore;
  readonly audit: AuditStore;
  readonly idempotency: IdempotencyStore;
  readonly iot: ControlPlane;
  readonly removals: EdgeRemovals;
  readonly trustAnchor: string;
};

export function enrolDeps(table: Table): EnrolDeps {
  return {
    edges: createEdgesStore(table),
    jobs: createJobsStore(table),
    pools: createPoolsStore(table),
    tokens: createTokensStore(table),
    audit: createAuditStore(table),
    idempotency: createIdempotencyStore(table),
    iot: createControlPlane({
      policyName: requiredEnv('EDGE_POLICY'),
      certificatesArn: requiredEnv('CERTIFICATES_ARN'),
    }),
    removals: createEdgeRemovals(requiredEnv('REMOVALS_QUEUE_URL')),
    trustAnchor: requiredEnv('EDGE_TRUST_ANCHOR'),
  };
}
