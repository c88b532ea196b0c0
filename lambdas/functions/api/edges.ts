import { createAuditStore } from '../../../adapters/dynamodb/access/audit-store.ts';
import { createEdgesStore } from '../../../adapters/dynamodb/fleet/edges-store.ts';
import { createPoolsStore } from '../../../adapters/dynamodb/fleet/pools-store.ts';
import { createJobsStore } from '../../../adapters/dynamodb/jobs/jobs-store.ts';
import { drainEdge } from '../../api/edges/drain-edge.ts';
import { getEdge } from '../../api/edges/get-edge.ts';
import { listEdgeJobs } from '../../api/edges/list-edge-jobs.ts';
import { listEdges } from '../../api/edges/list-edges.ts';
import { patchEdge } from '../../api/edges/patch-edge.ts';
import { serve } from '../../api/http/serve.ts';
import { onTable } from '../../api/http/table-deps.ts';

export const edgesOperations = { listEdges, getEdge, listEdgeJobs, patchEdge, drainEdge };

const ports = onTable({
  edges: createEdgesStore,
  pools: createPoolsStore,
  jobs: createJobsStore,
  audit: createAuditStore,
});

/** Reading edges, and the settings that their users give them. */
export const handler = serve('edges', edgesOperations, ports);
