import { createInventory } from '../../../adapters/dynamodb/fleet/edge-inventory.ts';
import { createEdgesStore } from '../../../adapters/dynamodb/fleet/edges-store.ts';
import { createJobsStore } from '../../../adapters/dynamodb/jobs/jobs-store.ts';
import { createLiveStore } from '../../../adapters/dynamodb/live/live-store.ts';
import { createEdgeShadows } from '../../../adapters/iot/edge-shadows.ts';
import { createFiles, createResultFiles } from '../../../adapters/s3/files.ts';
import { createOutputs } from '../../../adapters/s3/outputs.ts';
import { getSpec } from '../../api/edge-link/get-spec.ts';
import { getWork } from '../../api/edge-link/get-work.ts';
import { putOutput } from '../../api/edge-link/put-output.ts';
import { putReport } from '../../api/edge-link/put-report.ts';
import { putResult } from '../../api/edge-link/put-result.ts';
import { serve } from '../../api/http/serve.ts';
import { onTable } from '../../api/http/table-deps.ts';
import { getParams } from '../../api/sweeps/get-params.ts';
import { requiredEnv } from '../../environment.ts';
import { createLog } from '../../log.ts';

export const edgeLinkOperations = {
  getWork,
  putReport,
  getSpec,
  getParams,
  putOutput,
  putResult,
};

const ports = onTable({
  jobs: createJobsStore,
  edges: createEdgesStore,
  inventory: createInventory,
  shadows: () => createEdgeShadows(),
  files: () => createFiles({ bucket: requiredEnv('OUTPUTS_BUCKET') }),
  live: createLiveStore,
  outputs: () => createOutputs(requiredEnv('OUTPUTS_BUCKET')),
  results: () => createResultFiles({ bucket: requiredEnv('OUTPUTS_BUCKET') }),
  log: () => createLog({ function: 'edge-link' }, Date.now),
});

/** What edges do over HTTPS, each with its own secret. */
export const handler = serve('edge-link', edgeLinkOperations, ports);
