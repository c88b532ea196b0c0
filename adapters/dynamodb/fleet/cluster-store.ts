import type { GraphDigest } from '../../../core/graph/digest.ts';
import { type EdgeName, edgeNameOf } from '../../../core/model/names.ts';
import type {
  ClusterRecord,
  ClustersStore,
  GraphCounts,
  MatchedCluster,
} from '../../../core/ports/clusters.ts';
import { deleteCredential } from '../access/tokens-store.ts';
import {
  clusterKey,
  clusterListKey,
  clusterListPartition,
  edgeOfPartition,
  factsKey,
  graphKey,
  pointerKey,
  tokenIdKey,
} from '../keys.ts';
import { decodeCluster, decodeDigest, encodeCluster, encodeDigest } from '../rows/rows-cluster.ts';
import { readableOrReported } from '../rows/unreadable-row.ts';
import { listIndex } from '../schema.ts';
import type { Condition, Table, Write } from '../table.ts';
import { transactWithRetry } from '../transact-with-retry.ts';

const absent = { expression: 'attribute_not_exists(#pk)' };
const present = { expression: 'attribute_exists(#pk)' };

/** What clusters are made of, beside the other rows of their edges. */
export function createClustersStore(table: Table): ClustersStore {
  return {
    find: (edge) => findCluster(table, edge),
    async digestOf(edge) {
      const row = await table.get(graphKey(edge));
      return row === null ? null : readableOrReported(table, row, decodeDigest);
    },
    async ofPool(pool, after, limit) {
      const start = after === null ? {} : { after: startBehind(pool, after) };
      const pk = clusterListPartition(pool);
      const page = await table.query({ pk, index: listIndex.name, limit, ...start });
      const edges = page.rows.map((row) => edgeOfPartition(row.pk));
      const rows = await table.getMany(edges.flatMap((it) => [clusterKey(it), graphKey(it)]));
      const at = new Map(rows.map((row) => [`${row.pk} ${row.sk}`, row]));
      return edges.flatMap((edge): MatchedCluster[] => {
        const [key, place] = [clusterKey(edge), graphKey(edge)];
        const [row, graph] = [at.get(`${key.pk} ${key.sk}`), at.get(`${place.pk} ${place.sk}`)];
        if (row === undefined || graph === undefined) return [];
        const record = readableOrReported(table, row, (it) => decodeCluster(edge, it));
        const digest = readableOrReported(table, graph, decodeDigest);
        return record === null || digest === null || record.graph === null
          ? []
          : [{ record, digest }];
      });
    },
    async save(next, digest, seen, counts) {
      const outcome = await transactWithRetry(table, [
        ...clusterWrites(next, digest, seenCondition(seen)),
        ...(counts === undefined ? [] : [countsWrite(next.edge, counts)]),
        { kind: 'check', key: pointerKey(next.edge), condition: present },
      ]);
      return outcome.kind === 'committed';
    },
    async forget(edge) {
      const record = await findCluster(table, edge);
      const tokens = record?.submitTokens ?? [];
      await transactWithRetry(table, [
        { kind: 'delete', key: clusterKey(edge) },
        { kind: 'delete', key: graphKey(edge) },
        ...tokens.flatMap(({ id, hash }): Write[] => [
          deleteCredential(hash),
          { kind: 'delete', key: tokenIdKey(id) },
        ]),
      ]);
    },
  };
}

function countsWrite(edge: EdgeName, { cell, counted }: GraphCounts): Write {
  const change =
    counted === null ? { remove: ['counted'] } : { set: { counted: JSON.stringify(counted) } };
  return { kind: 'update', key: factsKey(cell, edge), change, condition: present };
}

function seenCondition(seen: ClusterRecord | null): Condition {
  if (seen === null) return absent;
  return { expression: '#writes = :seen', values: { seen: seen.writes } };
}

function startBehind(pool: string, after: EdgeName) {
  return { ...clusterKey(after), ...clusterListKey(pool, edgeNameOf(after)) };
}

async function findCluster(table: Table, edge: EdgeName): Promise<ClusterRecord | null> {
  const row = await table.get(clusterKey(edge));
  return row === null ? null : readableOrReported(table, row, (it) => decodeCluster(edge, it));
}

/** The rows of a cluster, as a part of the transaction that changes it or enrols its edge. */
export function clusterWrites(
  record: ClusterRecord,
  digest: GraphDigest | null | 'as it is',
  condition: Condition = absent,
): Write[] {
  const row: Write = { kind: 'put', row: encodeCluster(record), condition };
  if (digest === 'as it is') return [row];
  if (digest === null) return [row, { kind: 'delete', key: graphKey(record.edge) }];
  return [row, { kind: 'put', row: encodeDigest(record.edge, digest) }];
}
