import type { EnrolBody } from '../../../core/contract/edge-body.ts';
import { countedBy } from '../../../core/graph/cluster-capacity.ts';
import type { EdgeFacts } from '../../../core/model/cell.ts';
import { cellFactsOf } from '../../../core/model/edge-facts.ts';
import type { ResourceVector } from '../../../core/model/job.ts';
import type { EdgeName } from '../../../core/model/names.ts';
import type { GraphDocuments } from '../../../core/ports/clusters.ts';
import type { NewCluster } from '../../../core/ports/edges.ts';
import { newCluster } from '../clusters/change-cluster.ts';
import {
  type ClusterParts,
  type DescribedCluster,
  describeCluster,
  refusedGraph,
} from '../clusters/cluster-documents.ts';
import { submitToken } from '../clusters/create-submit-token.ts';
import type { PackedDocument } from '../http/json-body.ts';
import { type NewSecret, newSecret } from '../tokens/new-secret.ts';

/** What makes an edge a cluster from its first moment: read before anything of it is stored. */
export type EnrolledCluster = {
  /** `null` for an edge that takes its work by itself and says nothing of its nodes. */
  readonly nodes: { readonly parts: ClusterParts; readonly described: DescribedCluster } | null;
  readonly token: NewSecret;
};

const places = {
  nodes: ['nodes'],
  subsystem: (name: string) => ['subsystems', name],
};

/** `null` for a plain edge. A graph that makes no sense is refused with its place. */
export function readEnrolledCluster(body: EnrolBody, nowMs: number): EnrolledCluster | null {
  if (body.nodes === undefined) {
    return body.mode === 'pull' ? { nodes: null, token: newSecret(nowMs) } : null;
  }
  const subsystems = new Map(
    Object.entries(body.subsystems).map(([name, value]) => [name, packed(value)]),
  );
  const parts: ClusterParts = { nodes: packed(body.nodes), subsystems };
  const described = describeCluster(parts, null, places, nowMs);
  if (described.kind === 'detached') throw refusedGraph(described.errors);
  return { nodes: { parts, described: described.cluster }, token: newSecret(nowMs) };
}

function packed(value: unknown): PackedDocument {
  return { bytes: Buffer.from(JSON.stringify(value)), value };
}

/** What the body says it has, and what its graph counts beside that. */
export function enrolledFacts(body: EnrolBody, cluster: EnrolledCluster | null): EdgeFacts {
  const { capacity = {}, labels, facts } = body;
  const said = cellFactsOf({ capacity: capacity as unknown as ResourceVector, labels, facts });
  const digest = cluster?.nodes?.described.digest;
  return digest === undefined ? said : { ...said, counted: countedBy(digest, capacity) };
}

/** Before the edge is stored; what no edge refers to in the end is overwritten by the next one. */
export async function keepDocuments(
  graphs: GraphDocuments,
  edge: EdgeName,
  { nodes }: EnrolledCluster,
): Promise<void> {
  if (nodes === null) return;
  const { parts, described } = nodes;
  await graphs.put(edge, described.graph.hash, parts.nodes.bytes);
  for (const { name, hash } of described.subsystems) {
    await graphs.put(edge, hash, parts.subsystems.get(name)!.bytes);
  }
}

export function newClusterOf(
  { nodes, token }: EnrolledCluster,
  place: { readonly edge: EdgeName; readonly pool: string; readonly createdBy: string },
  nowMs: number,
): NewCluster {
  const { digest = null, ...rest } = nodes?.described ?? {};
  const { id, hash } = token;
  const name = `submit to ${place.edge}`;
  return {
    record: {
      ...newCluster(place.edge, place.pool),
      ...rest,
      version: 1,
      writes: 1,
      submitTokens: [{ id, hash }],
    },
    digest,
    submitToken: submitToken(token, place, { name, ttlSeconds: null, nowMs }),
  };
}
