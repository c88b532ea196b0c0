import { type AuditStore, createAuditStore } from '../../../adapters/dynamodb/audit-store.ts';
import { createEdgesStore, type EdgesStore } from '../../../adapters/dynamodb/edges-store.ts';
import { createJobsStore, type JobsStore } from '../../../adapters/dynamodb/jobs-store.ts';
import { createPoolsStore, type PoolsStore } from '../../../adapters/dynamodb/pools-store.ts';
import type { Table } from '../../../adapters/dynamodb/table.ts';

/** What reading and setting edges needs. */
export type EdgesDeps = {
  readonly edges: EdgesStore;
  readonly pools: PoolsStore;
  readonly jobs: JobsStore;
  readonly audit: AuditStore;
};

export function edgesDeps(table: Table): EdgesDeps {
  return {
    edges: createEdgesStore(table),
    pools: createPoolsStore(table),
    jobs: createJobsStore(table),
    audit: createAuditStore(table),
  };
}
