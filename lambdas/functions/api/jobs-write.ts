import { randomBytes } from 'node:crypto';
import { createIdempotencyStore } from '../../../adapters/dynamodb/access/idempotency-store.ts';
import { createEdgesStore } from '../../../adapters/dynamodb/fleet/edges-store.ts';
import { createPoolCells } from '../../../adapters/dynamodb/fleet/pool-cells.ts';
import { createPoolsStore } from '../../../adapters/dynamodb/fleet/pools-store.ts';
import { createJobChanges } from '../../../adapters/dynamodb/jobs/job-changes.ts';
import { createJobsStore } from '../../../adapters/dynamodb/jobs/jobs-store.ts';
import { createOutputs } from '../../../adapters/s3/outputs.ts';
import { serve } from '../../api/http/serve.ts';
import { onTable } from '../../api/http/table-deps.ts';
import { cancelJob } from '../../api/jobs/cancel-job.ts';
import { patchJob } from '../../api/jobs/patch-job.ts';
import { putJob } from '../../api/jobs/put-job.ts';
import { retryJob } from '../../api/jobs/retry-job.ts';
import { submitJob } from '../../api/jobs/submit-job.ts';
import { requiredEnv } from '../../environment.ts';

export const jobsWriteOperations = {
  submitJob,
  putJob,
  patchJob,
  cancelJob,
  retryJob,
};

const ports = onTable({
  jobs: createJobsStore,
  edges: createEdgesStore,
  cells: (table) => createPoolCells(createPoolsStore(table)),
  idempotency: createIdempotencyStore,
  random: () => ({ bytes: randomBytes }),
  changes: createJobChanges,
  outputs: () => createOutputs(requiredEnv('OUTPUTS_BUCKET')),
});

/** Everything that changes jobs. */
export const handler = serve('jobs-write', jobsWriteOperations, ports);
