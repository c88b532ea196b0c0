import { createCellStore } from '../../../adapters/dynamodb/cell-store.ts';
import { createEdgesStore, type EdgesStore } from '../../../adapters/dynamodb/edges-store.ts';
import {
  type JobStats,
  type Minute,
  readHistory,
  readJobStats,
} from '../../../adapters/dynamodb/job-stats.ts';
import { createJobsStore, type JobsStore } from '../../../adapters/dynamodb/jobs-store.ts';
import { createPoolCells, type PoolCellsReader } from '../../../adapters/dynamodb/pool-cells.ts';
import { createPoolsStore, type PoolsStore } from '../../../adapters/dynamodb/pools-store.ts';
import type { Table } from '../../../adapters/dynamodb/table.ts';
import { createOutputs, type Outputs } from '../../../adapters/s3/outputs.ts';
import type { CellStore } from '../../../core/ports.ts';
import { requiredEnv } from '../../environment.ts';

/** What reading jobs needs. */
export type JobsReadDeps = {
  readonly jobs: JobsStore;
  readonly edges: EdgesStore;
  readonly pools: PoolsStore;
  readonly cells: PoolCellsReader;
  readonly cellStore: Pick<CellStore, 'load'>;
  readonly outputs: Pick<Outputs, 'get'>;
  jobStats(nowMs: number): Promise<JobStats>;
  history(nowMs: number): Promise<readonly Minute[]>;
};

export function jobsReadDeps(table: Table): JobsReadDeps {
  const pools = createPoolsStore(table);
  return {
    jobs: createJobsStore(table),
    edges: createEdgesStore(table),
    pools,
    cells: createPoolCells(pools),
    cellStore: createCellStore(table),
    outputs: createOutputs(requiredEnv('OUTPUTS_BUCKET')),
    jobStats: (nowMs) => readJobStats(table, nowMs),
    history: (nowMs) => readHistory(table, nowMs),
  };
}
