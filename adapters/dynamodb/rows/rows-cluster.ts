import type { GraphDigest } from '../../../core/graph/digest.ts';
import { readDigest, writeDigest } from '../../../core/graph/digest-document.ts';
import { isScalar } from '../../../core/graph/vertex.ts';
import type { EdgeName } from '../../../core/model/names.ts';
import type {
  ClusterRecord,
  GraphSummary,
  StateValue,
  StoredSubsystem,
  SubmitToken,
} from '../../../core/ports/clusters.ts';
import { isCount, isRecord } from '../../../core/protocol/json.ts';
import { clusterKey, clusterListKey, graphKey } from '../keys.ts';
import type { Row } from '../table.ts';
import { json, text, whole } from './row-values.ts';

/** `EDGE#<edge>/CLUSTER`: small, read with its edge. Only those with a graph are in the list. */
export function encodeCluster(record: ClusterRecord): Row {
  const { edge, pool, version, writes, graph, subsystems, state, submitTokens } = record;
  return {
    ...clusterKey(edge),
    pool,
    version,
    writes,
    graph: JSON.stringify(graph),
    subsystems: JSON.stringify(subsystems),
    state: JSON.stringify([...state]),
    submitTokens: JSON.stringify(submitTokens),
    ...(graph === null ? {} : clusterListKey(pool, edge)),
  };
}

export function decodeCluster(edge: EdgeName, row: Row): ClusterRecord {
  return {
    edge,
    pool: text(row.pool),
    version: whole(row.version),
    writes: whole(row.writes),
    graph: json<GraphSummary | null>(row.graph, isGraph, null),
    subsystems: json<readonly StoredSubsystem[]>(row.subsystems, listOf(isSubsystem), []),
    state: new Map(json<readonly (readonly [string, StateValue])[]>(row.state, isState, [])),
    submitTokens: json<readonly SubmitToken[]>(row.submitTokens, listOf(isToken), []),
  };
}

/** `EDGE#<edge>/GRAPH`: what matching reads. */
export function encodeDigest(edge: EdgeName, digest: GraphDigest): Row {
  const written = writeDigest(digest);
  if (!written.ok) throw new Error(`a digest was not checked: ${written.reason}`);
  return { ...graphKey(edge), ...written.texts };
}

export function decodeDigest(row: Row): GraphDigest {
  const digest = readDigest(
    json<unknown>(row.tree, isRecord, null),
    json<unknown>(row.kinds, Array.isArray, null),
  );
  if (digest === null) throw new Error('the digest of a graph makes no sense');
  return digest;
}

const listOf = (fits: (value: unknown) => boolean) => (value: unknown) =>
  Array.isArray(value) && value.every(fits);

const isAmounts = (value: unknown) => isRecord(value) && Object.values(value).every(isCount);

function isGraph(value: unknown): boolean {
  if (value === null) return true;
  if (!isRecord(value) || !isCount(value.vertices) || !isAmounts(value.counts)) return false;
  return typeof value.hash === 'string' && isCount(value.registeredAtMs);
}

function isSubsystem(value: unknown): boolean {
  if (!isRecord(value) || typeof value.name !== 'string' || !isAmounts(value.types)) return false;
  const { vertices, attachedTo, hash, registeredAtMs } = value;
  return [vertices, attachedTo, registeredAtMs].every(isCount) && typeof hash === 'string';
}

function isState(value: unknown): boolean {
  return listOf((entry) => {
    const [key, it]: readonly unknown[] = Array.isArray(entry) ? entry : [];
    if (typeof key !== 'string' || !isRecord(it)) return false;
    return isScalar(it.value) && isCount(it.atMs) && (it.untilMs === null || isCount(it.untilMs));
  })(value);
}

function isToken(value: unknown): boolean {
  return isRecord(value) && typeof value.id === 'string' && typeof value.hash === 'string';
}
