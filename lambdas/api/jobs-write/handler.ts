import { serve } from '../http/serve.ts';
import { onTable } from '../http/table-deps.ts';
import { cancelJob } from './cancel-job.ts';
import { jobsWriteDeps } from './deps.ts';
import { patchJob } from './patch-job.ts';
import { putJob } from './put-job.ts';
import { retryJob } from './retry-job.ts';
import { submitJob } from './submit-job.ts';

export const jobsWriteOperations = {
  submitJob,
  putJob,
  patchJob,
  cancelJob,
  retryJob,
};

/** Everything that changes jobs. */
export const handler = serve('jobs-write', jobsWriteOperations, onTable(jobsWriteDeps));
