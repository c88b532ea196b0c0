import { type Answer, type Call, checkQuery } from '../http/call.ts';
import { tagged } from '../http/etag.ts';
import type { Ports } from '../ports.ts';
import { edgeViews, visibleEdge } from '../views/visible-edge.ts';

/** `GET /v1/edges/{name}`: one edge with its leases; an edge may read itself. */
export async function getEdge(call: Call, deps: Pick<Ports, 'edges' | 'jobs'>): Promise<Answer> {
  checkQuery(call, []);
  const edge = await visibleEdge(call, deps);
  const [body] = await edgeViews(deps, [edge]);
  return tagged(200, edge.version, body);
}
