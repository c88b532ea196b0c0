import { uploadedNodesSchema } from '../../../core/contract/clusters/cluster-body.ts';
import { invalid, ProblemError } from '../../../core/contract/problem.ts';
import { countedAnew } from '../../../core/graph/cluster-capacity.ts';
import { graphBytesMax } from '../../../core/graph/limits.ts';
import { edgePowerDefault } from '../../../core/model/limits.ts';
import type { EdgeName } from '../../../core/model/names.ts';
import type { ClusterRecord } from '../../../core/ports/clusters.ts';
import { isRecord } from '../../../core/protocol/json.ts';
import { edgeNow, visibleEdge } from '../edges/view/visible-edge.ts';
import { audit } from '../http/audit.ts';
import { checkQuery, edgeOfPath, flagOf } from '../http/call.ts';
import { tagged } from '../http/etag.ts';
import {
  checked,
  type PackedDocument,
  readPackedDocument,
  unpackedDocument,
} from '../http/json-body.ts';
import { checkAbsent, checkPresent, readPrecondition } from '../http/precondition.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { changeCluster } from './change-cluster.ts';
import {
  type ClusterParts,
  type DescribedCluster,
  describeCluster,
  hashOfDocument,
  storedSubsystems,
} from './cluster-documents.ts';

/**
 * `PUT /v1/edges/{name}/nodes`: makes an edge a cluster, or gives a cluster another graph.
 * Subsystems that do not fit it any more are a conflict, unless they are to be dropped. What it has
 * follows from the new graph as far as it followed from the one before.
 */
export const putNodes = defineOperation({
  name: 'putNodes',
  read: (call) => {
    checkQuery(call, ['detach']);
    const document = readPackedDocument(call, graphBytesMax);
    const precondition = readPrecondition(call);
    return { name: edgeOfPath(call), document, precondition, detach: flagOf(call, 'detach') };
  },
  run: async ({ name, document: sent, precondition, detach }, context, deps: NodesDeps) => {
    await visibleEdge(name, context.caller, deps);
    const document = await documentOf(name, sent, deps);
    const hash = hashOfDocument(document.bytes);
    const dropped = await changeCluster(name, context, deps, async (before, edge) => {
      if (before.graph === null) checkAbsent(precondition);
      else checkPresent(precondition, before.version);
      const subsystems = await storedSubsystems(deps.graphs, before);
      const cluster = fitting({ nodes: document, subsystems }, before, detach, context.nowMs);
      const { digest, ...described } = cluster;
      await deps.graphs.put(name, hash, document.bytes);
      const next = { ...before, ...described, version: before.version + 1 };
      const counted = countedAnew(digest, edge.facts ?? nothingSaid, edge.allFacts);
      return { next, digest, counted, outcome: noLonger(before, next) };
    });
    for (const old of dropped) await deps.graphs.remove(name, old);
    await audit(context, deps, 'cluster-graph-changed', name);
    const edge = await visibleEdge(name, context.caller, deps);
    return edgeNow(deps, edge, context.nowMs);
  },
  answer: (edge) => tagged(200, edge),
});

const nothingSaid = { capacity: { power: edgePowerDefault } };

type NodesDeps = Pick<Ports, 'edges' | 'clusters' | 'graphs' | 'audit'>;

/** The document itself, or the one that was put to an address before. */
async function documentOf(
  name: EdgeName,
  sent: PackedDocument,
  { graphs }: Pick<Ports, 'graphs'>,
): Promise<PackedDocument> {
  if (!isRecord(sent.value) || !('upload' in sent.value)) return sent;
  const { upload } = checked(uploadedNodesSchema, sent.value);
  const bytes = await graphs.uploaded(name, upload, graphBytesMax);
  if (bytes !== null) return unpackedDocument(bytes, graphBytesMax);
  throw invalid('/upload', 'Nothing was put there, or not in the last day; ask for an address.');
}

const places = { nodes: [], subsystem: (name: string) => ['subsystems', name] };

function fitting(
  parts: ClusterParts,
  before: ClusterRecord,
  detach: boolean,
  nowMs: number,
): DescribedCluster {
  const described = describeCluster(parts, before, places, nowMs);
  if (described.kind === 'described') return described.cluster;
  if (!detach) {
    const names = described.names.map((name) => `"${name}"`).join(', ');
    const detail = `The subsystems ${names} do not fit this graph; "?detach=true" drops them.`;
    throw new ProblemError('subsystem-detached', detail, { errors: described.errors });
  }
  const gone = new Set(described.names);
  const kept = new Map([...parts.subsystems].filter(([name]) => !gone.has(name)));
  return fitting({ ...parts, subsystems: kept }, before, false, nowMs);
}

/** Documents that were kept for what was there before and is not there any more. */
export function noLonger(before: ClusterRecord, next: ClusterRecord): readonly string[] {
  const kept = new Set(hashesOf(next));
  return hashesOf(before).filter((hash) => !kept.has(hash));
}

function hashesOf({ graph, subsystems }: ClusterRecord): readonly string[] {
  const own = graph === null ? [] : [graph.hash];
  return [...own, ...subsystems.map(({ hash }) => hash)];
}
