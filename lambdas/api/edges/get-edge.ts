import { checkQuery, edgeOfPath } from '../http/call.ts';
import { tagged } from '../http/etag.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { edgeNow, visibleEdge } from './view/visible-edge.ts';

/** `GET /v1/edges/{name}`: one edge with its leases; an edge may read itself. */
export const getEdge = defineOperation({
  name: 'getEdge',
  read: (call) => {
    checkQuery(call, []);
    return { name: edgeOfPath(call) };
  },
  run: async ({ name }, { caller, nowMs }, deps: Pick<Ports, 'edges'>) =>
    edgeNow(deps, await visibleEdge(name, caller, deps), nowMs),
  answer: (edge) => tagged(200, edge),
});
