import { createCellStore } from '../../../adapters/dynamodb/cell-store.ts';
import { createEdgesStore } from '../../../adapters/dynamodb/edges-store.ts';
import { createJobStatistics } from '../../../adapters/dynamodb/job-stats.ts';
import { createJobsStore } from '../../../adapters/dynamodb/jobs-store.ts';
import { createPoolCells } from '../../../adapters/dynamodb/pool-cells.ts';
import { createPoolsStore } from '../../../adapters/dynamodb/pools-store.ts';
import { createOutputs } from '../../../adapters/s3/outputs.ts';
import { requiredEnv } from '../../environment.ts';
import { serve } from '../http/serve.ts';
import { onTable } from '../http/table-deps.ts';
import { explainJob } from './explain-job.ts';
import { getChunk } from './get-chunk.ts';
import { getJob } from './get-job.ts';
import { getOutput } from './get-output.ts';
import { getStats } from './get-stats.ts';
import { getStatsHistory } from './get-stats-history.ts';
import { listChunks } from './list-chunks.ts';
import { listEvents } from './list-events.ts';
import { listExecutions } from './list-executions.ts';
import { listJobs } from './list-jobs.ts';
import { planJob } from './plan-job.ts';

export const jobsReadOperations = {
  listJobs,
  getJob,
  listExecutions,
  listChunks,
  getChunk,
  getOutput,
  listEvents,
  explainJob,
  planJob,
  getStats,
  getStatsHistory,
};

const ports = onTable({
  jobs: createJobsStore,
  edges: createEdgesStore,
  pools: createPoolsStore,
  cells: (table) => createPoolCells(createPoolsStore(table)),
  cellStore: createCellStore,
  outputs: () => createOutputs(requiredEnv('OUTPUTS_BUCKET')),
  stats: createJobStatistics,
});

/** Everything that can be read about jobs, and the fleet's figures. */
export const handler = serve('jobs-read', jobsReadOperations, ports);
