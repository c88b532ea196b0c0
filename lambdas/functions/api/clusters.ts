import { createAuditStore } from '../../../adapters/dynamodb/access/audit-store.ts';
import { createIdempotencyStore } from '../../../adapters/dynamodb/access/idempotency-store.ts';
import { createTokensStore } from '../../../adapters/dynamodb/access/tokens-store.ts';
import { createCellStore } from '../../../adapters/dynamodb/fleet/adopting-cells.ts';
import { createClustersStore } from '../../../adapters/dynamodb/fleet/cluster-store.ts';
import { createInventory } from '../../../adapters/dynamodb/fleet/edge-inventory.ts';
import { createEdgesStore } from '../../../adapters/dynamodb/fleet/edges-store.ts';
import { createJobsStore } from '../../../adapters/dynamodb/jobs/jobs-store.ts';
import { createSubmissionsStore } from '../../../adapters/dynamodb/jobs/submissions-store.ts';
import { createGraphDocuments } from '../../../adapters/s3/graph-documents.ts';
import { acceptOffers, releaseWork } from '../../api/clusters/accept-offers.ts';
import { createSubmitToken } from '../../api/clusters/create-submit-token.ts';
import { getNodes, getSubsystem } from '../../api/clusters/get-nodes.ts';
import { listOffers } from '../../api/clusters/list-offers.ts';
import { listSubsystems } from '../../api/clusters/list-subsystems.ts';
import { putNodes } from '../../api/clusters/put-nodes.ts';
import { getState, putState } from '../../api/clusters/put-state.ts';
import { putSubsystem } from '../../api/clusters/put-subsystem.ts';
import { removeNodes, removeSubsystem } from '../../api/clusters/remove-nodes.ts';
import { uploadNodes } from '../../api/clusters/upload-nodes.ts';
import { serve } from '../../api/http/serve.ts';
import { onTable } from '../../api/http/table-deps.ts';
import { requiredEnv } from '../../environment.ts';
import { createLog } from '../../log.ts';
import { passesOn } from '../../workers/schedule/table-pass.ts';

export const clustersOperations = {
  getNodes,
  putNodes,
  uploadNodes,
  removeNodes,
  listSubsystems,
  getSubsystem,
  putSubsystem,
  removeSubsystem,
  getState,
  putState,
  createSubmitToken,
  listOffers,
  acceptOffers,
  releaseWork,
};

const log = createLog({ function: 'api/clusters' }, Date.now);

const ports = onTable({
  edges: createEdgesStore,
  clusters: createClustersStore,
  tokens: createTokensStore,
  audit: createAuditStore,
  idempotency: createIdempotencyStore,
  jobs: createJobsStore,
  submissions: createSubmissionsStore,
  inventory: createInventory,
  cellStore: createCellStore,
  passes: (table) => passesOn(table, log),
  clock: () => ({ nowMs: Date.now }),
  log: () => log,
  graphs: () => createGraphDocuments(requiredEnv('OUTPUTS_BUCKET')),
});

/** What clusters say of themselves, and who may submit to them. */
export const handler = serve('clusters', clustersOperations, ports, log);
