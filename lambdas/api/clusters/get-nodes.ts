import { notFound, ProblemError } from '../../../core/contract/problem.ts';
import type { EdgeName } from '../../../core/model/names.ts';
import type { ClusterRecord } from '../../../core/ports/clusters.ts';
import { visibleEdge } from '../edges/view/visible-edge.ts';
import type { Answer } from '../http/call.ts';
import { checkQuery, edgeOfPath, paramOf } from '../http/call.ts';
import type { Context } from '../operation.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';

/** `GET /v1/edges/{name}/nodes`: the document as it was sent. */
export const getNodes = defineOperation({
  name: 'getNodes',
  read: (call) => {
    checkQuery(call, []);
    return { name: edgeOfPath(call) };
  },
  run: async ({ name }, context, deps: ReadDeps) => {
    const record = await clusterOf(name, context, deps);
    if (record.graph === null) throw notFound(`graph of "${name}"`);
    return document(deps, name, record.version, record.graph.hash);
  },
  answer: (found) => found,
});

/** `GET /v1/edges/{name}/subsystems/{subsystem}`: the document as it was sent. */
export const getSubsystem = defineOperation({
  name: 'getSubsystem',
  read: (call) => {
    checkQuery(call, []);
    return { name: edgeOfPath(call), subsystem: paramOf(call, 'subsystem', 'such subsystem') };
  },
  run: async ({ name, subsystem }, context, deps: ReadDeps) => {
    const { subsystems, version } = await clusterOf(name, context, deps);
    const stored = subsystems.find((it) => it.name === subsystem);
    if (stored === undefined) throw new ProblemError('subsystem-not-found');
    return document(deps, name, version, stored.hash);
  },
  answer: (found) => found,
});

export type ReadDeps = Pick<Ports, 'edges' | 'clusters' | 'graphs'>;

/** What the edge is as a cluster; 404 for who may not see it, or when it is none. */
export async function clusterOf(
  name: EdgeName,
  { caller }: Context,
  deps: Pick<Ports, 'edges' | 'clusters'>,
): Promise<ClusterRecord> {
  const { cluster } = await visibleEdge(name, caller, deps);
  if (cluster === null) throw notFound(`graph of "${name}"`);
  return cluster;
}

/** Begins with the version of the cluster, which `If-Match` compares. */
export function clusterTag(version: number, hash: string): string {
  return `"${version}-${hash.slice(0, 16)}"`;
}

async function document(
  { graphs }: Pick<Ports, 'graphs'>,
  name: EdgeName,
  version: number,
  hash: string,
): Promise<Answer> {
  const body = await graphs.get(name, hash);
  if (body === null) throw notFound(`document of "${name}": send it again`);
  const headers = { etag: clusterTag(version, hash), 'content-type': 'application/json' };
  return { status: 200, headers, body };
}
