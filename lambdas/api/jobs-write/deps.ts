import { createEdgesStore, type EdgesStore } from '../../../adapters/dynamodb/edges-store.ts';
import {
  createIdempotencyStore,
  type IdempotencyStore,
} from '../../../adapters/dynamodb/idempotency-store.ts';
import { createJobChanges, type JobChanges } from '../../../adapters/dynamodb/job-changes.ts';
import { createJobsStore, type JobsStore } from '../../../adapters/dynamodb/jobs-store.ts';
import { createPoolCells, type PoolCellsReader } from '../../../adapters/dynamodb/pool-cells.ts';
import { createPoolsStore } from '../../../adapters/dynamodb/pools-store.ts';
import type { Table } from '../../../adapters/dynamodb/table.ts';
import { createOutputs, type Outputs } from '../../../adapters/s3/outputs.ts';
import { requiredEnv } from '../../environment.ts';

/** What changing jobs needs. */
export type JobsWriteDeps = {
  readonly jobs: JobsStore;
  readonly changes: JobChanges;
  readonly edges: EdgesStore;
  readonly cells: PoolCellsReader;
  readonly idempotency: IdempotencyStore;
  readonly outputs: Outputs;
};

export function jobsWriteDeps(table: Table): JobsWriteDeps {
  return {
    jobs: createJobsStore(table),
    changes: createJobChanges(table),
    edges: createEdgesStore(table),
    cells: createPoolCells(createPoolsStore(table)),
    idempotency: createIdempotencyStore(table),
    outputs: createOutputs(requiredEnv('OUTPUTS_BUCKET')),
  };
}
