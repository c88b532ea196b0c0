import { createAuditStore } from '../../../adapters/dynamodb/audit-store.ts';
import { createEdgesStore } from '../../../adapters/dynamodb/edges-store.ts';
import { createJobsStore } from '../../../adapters/dynamodb/jobs-store.ts';
import { createPoolsStore } from '../../../adapters/dynamodb/pools-store.ts';
import { serve } from '../http/serve.ts';
import { onTable } from '../http/table-deps.ts';
import { drainEdge } from './drain-edge.ts';
import { getEdge } from './get-edge.ts';
import { listEdgeJobs } from './list-edge-jobs.ts';
import { listEdges } from './list-edges.ts';
import { patchEdge } from './patch-edge.ts';

export const edgesOperations = { listEdges, getEdge, listEdgeJobs, patchEdge, drainEdge };

const ports = onTable({
  edges: createEdgesStore,
  pools: createPoolsStore,
  jobs: createJobsStore,
  audit: createAuditStore,
});

/** Reading edges, and the settings that their users give them. */
export const handler = serve('edges', edgesOperations, ports);
