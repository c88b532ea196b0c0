import { randomBytes } from 'node:crypto';
import { createAuditStore } from '../../../adapters/dynamodb/access/audit-store.ts';
import { createIdempotencyStore } from '../../../adapters/dynamodb/access/idempotency-store.ts';
import { createEdgesStore } from '../../../adapters/dynamodb/fleet/edges-store.ts';
import { createPoolCells } from '../../../adapters/dynamodb/fleet/pool-cells.ts';
import { createPoolsStore } from '../../../adapters/dynamodb/fleet/pools-store.ts';
import { createJobChanges } from '../../../adapters/dynamodb/jobs/job-changes.ts';
import { createJobsStore } from '../../../adapters/dynamodb/jobs/jobs-store.ts';
import { createFiles, createResultFiles } from '../../../adapters/s3/files.ts';
import { createOutputs } from '../../../adapters/s3/outputs.ts';
import { serve } from '../../api/http/serve.ts';
import { onTable } from '../../api/http/table-deps.ts';
import { cancelChunks } from '../../api/jobs/cancel-chunks.ts';
import { cancelJob } from '../../api/jobs/cancel-job.ts';
import { patchJob } from '../../api/jobs/patch-job.ts';
import { putJob } from '../../api/jobs/put-job.ts';
import { retryJob } from '../../api/jobs/retry-job.ts';
import { submitJob } from '../../api/jobs/submit-job.ts';
import { submitJobs } from '../../api/jobs/submit-jobs.ts';
import { restartJob } from '../../api/services/restart-job.ts';
import { rollbackJob } from '../../api/services/rollback-job.ts';
import { stopChunk } from '../../api/services/stop-instance.ts';
import { requiredEnv } from '../../environment.ts';
import { createLog } from '../../log.ts';
import { shortPassesOn } from '../../workers/schedule/table-pass.ts';

export const jobsWriteOperations = {
  submitJob,
  submitJobs,
  putJob,
  patchJob,
  cancelJob,
  cancelChunks,
  retryJob,
  rollbackJob,
  restartJob,
  stopChunk,
};

const log = createLog({ function: 'api/jobs-write' }, Date.now);

const ports = onTable({
  jobs: createJobsStore,
  edges: createEdgesStore,
  cells: (table) => createPoolCells(createPoolsStore(table)),
  idempotency: createIdempotencyStore,
  random: () => ({ bytes: randomBytes }),
  allowsLoopback: () => requiredEnv('LOOPBACK_RECEIVERS') === 'allowed',
  placing: (table) => shortPassesOn(table, log),
  changes: createJobChanges,
  audit: createAuditStore,
  outputs: () => createOutputs(requiredEnv('OUTPUTS_BUCKET')),
  files: () => createFiles({ bucket: requiredEnv('OUTPUTS_BUCKET') }),
  results: () => createResultFiles({ bucket: requiredEnv('OUTPUTS_BUCKET') }),
});

/** Everything that changes jobs. */
export const handler = serve('jobs-write', jobsWriteOperations, ports, log);
