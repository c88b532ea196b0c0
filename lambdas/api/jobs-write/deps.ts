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

/** What submitting needs. */
export type SubmitDeps = {
  readonly jobs: JobsStore;
  readonly edges: EdgesStore;
  readonly cells: PoolCellsReader;
  readonly idempotency: IdempotencyStore;
};

/** What changing jobs needs besides. */
export type JobsWriteDeps = SubmitDeps & {
  readonly changes: JobChanges;
  readonly outputs: Pick<Outputs, 'removeAll'>;
};

export function submitDeps(table: Table): SubmitDeps {
  return {
    jobs: createJobsStore(table),
    edges: createEdgesStore(table),
    cells: createPoolCells(createPoolsStore(table)),
    idempotency: createIdempotencyStore(table),
  };
}

export function jobsWriteDeps(table: Table): JobsWriteDeps {
  return {
    ...submitDeps(table),
    changes: createJobChanges(table),
    outputs: createOutputs(requiredEnv('OUTPUTS_BUCKET')),
  };
}
