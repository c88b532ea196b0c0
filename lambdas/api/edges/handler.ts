import { serve } from '../http/serve.ts';
import { onTable } from '../http/table-deps.ts';
import { edgesDeps } from './deps.ts';
import { drainEdge } from './drain-edge.ts';
import { getEdge } from './get-edge.ts';
import { listEdgeJobs } from './list-edge-jobs.ts';
import { listEdges } from './list-edges.ts';
import { patchEdge } from './patch-edge.ts';

export const edgesOperations = { listEdges, getEdge, listEdgeJobs, patchEdge, drainEdge };

/** Reading edges, and the settings that their users give them. */
export const handler = serve('edges', edgesOperations, onTable(edgesDeps));
