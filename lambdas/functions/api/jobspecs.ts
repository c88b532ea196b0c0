import { randomBytes } from 'node:crypto';
import { createAuditStore } from '../../../adapters/dynamodb/access/audit-store.ts';
import { createIdempotencyStore } from '../../../adapters/dynamodb/access/idempotency-store.ts';
import { createClustersStore } from '../../../adapters/dynamodb/fleet/cluster-store.ts';
import { createEdgesStore } from '../../../adapters/dynamodb/fleet/edges-store.ts';
import { createPoolCells } from '../../../adapters/dynamodb/fleet/pool-cells.ts';
import { createPoolsStore } from '../../../adapters/dynamodb/fleet/pools-store.ts';
import { createJobChanges } from '../../../adapters/dynamodb/jobs/job-changes.ts';
import { createJobsStore } from '../../../adapters/dynamodb/jobs/jobs-store.ts';
import { createSubmissionsStore } from '../../../adapters/dynamodb/jobs/submissions-store.ts';
import { createFiles } from '../../../adapters/s3/files.ts';
import { serve } from '../../api/http/serve.ts';
import { onTable } from '../../api/http/table-deps.ts';
import { cancelJobspec } from '../../api/jobspecs/cancel-jobspec.ts';
import { explainJobspec } from '../../api/jobspecs/explain-jobspec.ts';
import { getJobspec } from '../../api/jobspecs/get-jobspec.ts';
import { graphJobspec } from '../../api/jobspecs/graph-jobspec.ts';
import { listJobspecs } from '../../api/jobspecs/list-jobspecs.ts';
import { retryJobspec } from '../../api/jobspecs/retry-jobspec.ts';
import { satisfyJobspec } from '../../api/jobspecs/satisfy-jobspec.ts';
import { submitJobspec } from '../../api/jobspecs/submit-jobspec.ts';

import { requiredEnv } from '../../environment.ts';

export const jobspecsOperations = {
  submitJobspec,
  satisfyJobspec,
  listJobspecs,
  getJobspec,
  cancelJobspec,
  retryJobspec,
  explainJobspec,
  graphJobspec,
};

const ports = onTable({
  jobs: createJobsStore,
  edges: createEdgesStore,
  cells: (table) => createPoolCells(createPoolsStore(table)),
  clusters: createClustersStore,
  pools: createPoolsStore,
  submissions: createSubmissionsStore,
  idempotency: createIdempotencyStore,
  changes: createJobChanges,
  audit: createAuditStore,
  random: () => ({ bytes: randomBytes }),
  files: () => createFiles({ bucket: requiredEnv('OUTPUTS_BUCKET') }),
});

/** Jobspecs apart from jobs, because reading YAML weighs more than all else of a submission. */
export const handler = serve('jobspecs', jobspecsOperations, ports);
