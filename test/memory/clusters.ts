import type { EdgeName } from '../../core/model/names.ts';
import type { ClustersStore, GraphCounts, GraphDocuments } from '../../core/ports/clusters.ts';
import type { Files } from '../../core/ports/files.ts';
import { changeEdge, pageOf, type Stored, seatKey } from './stored.ts';

/** Clusters in memory. */
export function createMemoryClusters(stored: Stored): ClustersStore {
  return {
    async find(edge) {
      return stored.clusters.get(edge) ?? null;
    },
    async digestOf(edge) {
      return stored.digests.get(edge) ?? null;
    },
    async ofPool(pool, after, limit) {
      const listed = [...stored.clusters.values()].filter(
        (it) => it.pool === pool && it.graph !== null,
      );
      return pageOf(listed, ({ edge }) => edge, after, limit).flatMap((record) => {
        const digest = stored.digests.get(record.edge);
        return digest === undefined ? [] : [{ record, digest }];
      });
    },
    async save(next, digest, seen, counts) {
      const now = stored.clusters.get(next.edge);
      if (!stored.identities.has(next.edge) || now?.writes !== seen?.writes) return false;
      if (counts !== undefined && !keepCounts(stored, next.edge, counts)) return false;
      stored.clusters.set(next.edge, next);
      if (digest === null) stored.digests.delete(next.edge);
      else if (digest !== 'as it is') stored.digests.set(next.edge, digest);
      return true;
    },
    async forget(edge) {
      for (const { hash } of stored.clusters.get(edge)?.submitTokens ?? []) {
        stored.credentials.delete(hash);
      }
      stored.clusters.delete(edge);
      stored.digests.delete(edge);
    },
  };
}

function keepCounts(stored: Stored, edge: EdgeName, { cell, counted }: GraphCounts): boolean {
  const seat = stored.seats.get(seatKey(cell, edge));
  if (seat === undefined) return false;
  const { counted: _, ...said } = seat.facts.facts;
  const facts = counted === null ? said : { ...said, counted };
  seat.facts = { ...seat.facts, facts };
  changeEdge(stored, cell, edge, (it) => ({ ...it, facts }));
  return true;
}

/** Documents as they were sent, in memory. */
export function createMemoryGraphDocuments(files: Files): GraphDocuments {
  const objects = new Map<string, Uint8Array>();
  return {
    uploadAddress: (edge, digest, nowMs) => files.uploadAddress(`graphs-${edge}`, digest, nowMs),
    uploaded: (edge, digest, bytesMax) => files.read(`graphs-${edge}`, digest, bytesMax),
    async put(edge, hash, document) {
      objects.set(`${edge}/${hash}`, Uint8Array.from(document));
    },
    async get(edge, hash) {
      return objects.get(`${edge}/${hash}`) ?? null;
    },
    async remove(edge, hash) {
      objects.delete(`${edge}/${hash}`);
    },
    async removeAll(edge) {
      for (const key of objects.keys()) if (key.startsWith(`${edge}/`)) objects.delete(key);
    },
  };
}
