import { serve } from '../http/serve.ts';
import { onTable } from '../http/table-deps.ts';
import { jobsReadDeps } from './deps.ts';
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

/** Everything that can be read about jobs, and the fleet's figures. */
export const handler = serve('jobs-read', jobsReadOperations, onTable(jobsReadDeps));
