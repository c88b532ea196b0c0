import { nodesUploadBodySchema } from '../../../core/contract/clusters/cluster-body.ts';
import { visibleEdge } from '../edges/view/visible-edge.ts';
import { checkQuery, edgeOfPath } from '../http/call.ts';
import { readBody } from '../http/json-body.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';

/**
 * `POST /v1/edges/{name}/nodes:upload`: where a graph is put that is too large for a request. It
 * becomes the graph of the cluster when its token is sent to `PUT …/nodes`; until then nothing has
 * changed, and nothing of it has been read.
 */
export const uploadNodes = defineOperation({
  name: 'uploadNodes',
  read: (call) => {
    checkQuery(call, []);
    return { name: edgeOfPath(call), ...readBody(call, nodesUploadBodySchema) };
  },
  run: async ({ name, sha256 }, { caller, nowMs }, deps: Pick<Ports, 'edges' | 'graphs'>) => {
    await visibleEdge(name, caller, deps);
    const { url, headers, expiresAtMs } = deps.graphs.uploadAddress(name, sha256, nowMs);
    const expiresAt = new Date(expiresAtMs).toISOString();
    return { uploadUrl: url, headers: { ...headers }, token: sha256, expiresAt };
  },
  answer: (body) => ({ status: 201, body }),
});
