import { randomBytes } from 'node:crypto';
import { createAuditStore } from '../../../adapters/dynamodb/access/audit-store.ts';
import { createIdempotencyStore } from '../../../adapters/dynamodb/access/idempotency-store.ts';
import { createCellStore } from '../../../adapters/dynamodb/fleet/adopting-cells.ts';
import { createEdgesStore } from '../../../adapters/dynamodb/fleet/edges-store.ts';
import { createPoolCells } from '../../../adapters/dynamodb/fleet/pool-cells.ts';
import { createPoolsStore } from '../../../adapters/dynamodb/fleet/pools-store.ts';
import { createJobChanges } from '../../../adapters/dynamodb/jobs/job-changes.ts';
import { createJobStatistics } from '../../../adapters/dynamodb/jobs/job-stats.ts';
import { createJobsStore } from '../../../adapters/dynamodb/jobs/jobs-store.ts';
import { createFiles, createResultFiles } from '../../../adapters/s3/files.ts';
import { createOutputs } from '../../../adapters/s3/outputs.ts';
import { postGraphql } from '../../api/graphql/post-graphql.ts';
import { serve } from '../../api/http/serve.ts';
import { onTable } from '../../api/http/table-deps.ts';
import { requiredEnv } from '../../environment.ts';

export const graphqlOperations = { postGraphql };

const ports = onTable({
  jobs: createJobsStore,
  changes: createJobChanges,
  edges: createEdgesStore,
  pools: createPoolsStore,
  cells: (table) => createPoolCells(createPoolsStore(table)),
  cellStore: createCellStore,
  stats: createJobStatistics,
  audit: createAuditStore,
  idempotency: createIdempotencyStore,
  random: () => ({ bytes: randomBytes }),
  allowsLoopback: () => requiredEnv('LOOPBACK_RECEIVERS') === 'allowed',
  clock: () => ({ nowMs: Date.now }),
  eventStream: () => requiredEnv('EVENT_STREAM_URL'),
  outputs: () => createOutputs(requiredEnv('OUTPUTS_BUCKET')),
  files: () => createFiles({ bucket: requiredEnv('OUTPUTS_BUCKET') }),
  results: () => createResultFiles({ bucket: requiredEnv('OUTPUTS_BUCKET') }),
});

/** The fleet as a graph. */
export const handler = serve('graphql', graphqlOperations, ports);
