import { createInventory } from '../../../adapters/dynamodb/edge-inventory.ts';
import { createEdgesStore } from '../../../adapters/dynamodb/edges-store.ts';
import { createJobsStore } from '../../../adapters/dynamodb/jobs-store.ts';
import { createEdgeShadows } from '../../../adapters/iot/edge-shadows.ts';
import { createOutputs } from '../../../adapters/s3/outputs.ts';
import { requiredEnv } from '../../environment.ts';
import { createLog } from '../../log.ts';
import { serve } from '../http/serve.ts';
import { onTable } from '../http/table-deps.ts';
import { getSpec } from './get-spec.ts';
import { getWork } from './get-work.ts';
import { putOutput } from './put-output.ts';
import { putReport } from './put-report.ts';

export const edgeLinkOperations = { getWork, putReport, getSpec, putOutput };

const ports = onTable({
  jobs: createJobsStore,
  edges: createEdgesStore,
  inventory: createInventory,
  shadows: () => createEdgeShadows(),
  outputs: () => createOutputs(requiredEnv('OUTPUTS_BUCKET')),
  log: () => createLog({ function: 'edge-link' }, Date.now),
});

/** What edges do over HTTPS, each with its own secret. */
export const handler = serve('edge-link', edgeLinkOperations, ports);
