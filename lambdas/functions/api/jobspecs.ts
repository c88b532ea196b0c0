import { randomBytes } from 'node:crypto';
import { createIdempotencyStore } from '../../../adapters/dynamodb/access/idempotency-store.ts';
import { createEdgesStore } from '../../../adapters/dynamodb/fleet/edges-store.ts';
import { createPoolCells } from '../../../adapters/dynamodb/fleet/pool-cells.ts';
import { createPoolsStore } from '../../../adapters/dynamodb/fleet/pools-store.ts';
import { createJobChanges } from '../../../adapters/dynamodb/jobs/job-changes.ts';
import { createJobsStore } from '../../../adapters/dynamodb/jobs/jobs-store.ts';
import { serve } from '../../api/http/serve.ts';
import { onTable } from '../../api/http/table-deps.ts';
import { submitJobspec } from '../../api/jobs/submit-jobspec.ts';

export const jobspecsOperations = { submitJobspec };

const ports = onTable({
  jobs: createJobsStore,
  edges: createEdgesStore,
  cells: (table) => createPoolCells(createPoolsStore(table)),
  idempotency: createIdempotencyStore,
  changes: createJobChanges,
  random: () => ({ bytes: randomBytes }),
});

/** Jobspecs apart from jobs, because reading YAML weighs more than all else of a submission. */
export const handler = serve('jobspecs', jobspecsOperations, ports);
