import { createCellStore } from '../../../adapters/dynamodb/fleet/adopting-cells.ts';
import { createEdgesStore } from '../../../adapters/dynamodb/fleet/edges-store.ts';
import { createPoolCells } from '../../../adapters/dynamodb/fleet/pool-cells.ts';
import { createPoolsStore } from '../../../adapters/dynamodb/fleet/pools-store.ts';
import { createJobStatistics } from '../../../adapters/dynamodb/jobs/job-stats.ts';
import { createJobsStore } from '../../../adapters/dynamodb/jobs/jobs-store.ts';
import { createFiles } from '../../../adapters/s3/files.ts';
import { getStats } from '../../api/fleet/get-stats.ts';
import { getStatsHistory } from '../../api/fleet/get-stats-history.ts';
import { serve } from '../../api/http/serve.ts';
import { onTable } from '../../api/http/table-deps.ts';
import { explainJob } from '../../api/jobs/explain-job.ts';
import { getChunk } from '../../api/jobs/get-chunk.ts';
import { getJob } from '../../api/jobs/get-job.ts';
import { listChunks } from '../../api/jobs/list-chunks.ts';
import { listEvents } from '../../api/jobs/list-events.ts';
import { listExecutions } from '../../api/jobs/list-executions.ts';
import { listJobs } from '../../api/jobs/list-jobs.ts';
import { planJob } from '../../api/jobs/plan-job.ts';
import { listGenerations } from '../../api/services/list-generations.ts';
import { requiredEnv } from '../../environment.ts';

export const jobsReadOperations = {
  listJobs,
  getJob,
  listExecutions,
  listChunks,
  getChunk,
  listEvents,
  explainJob,
  planJob,
  listGenerations,
  getStats,
  getStatsHistory,
};

const ports = onTable({
  jobs: createJobsStore,
  edges: createEdgesStore,
  pools: createPoolsStore,
  cells: (table) => createPoolCells(createPoolsStore(table)),
  cellStore: createCellStore,
  files: () => createFiles({ bucket: requiredEnv('OUTPUTS_BUCKET') }),
  stats: createJobStatistics,
});

/** Everything that can be read about jobs, and the fleet's figures. */
export const handler = serve('jobs-read', jobsReadOperations, ports);
