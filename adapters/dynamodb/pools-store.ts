import { type CellMeta, newCellMeta, type QueueConfig } from '../../core/cell.ts';
import type { PlacementPolicy } from '../../core/job.ts';
import { type CellId, compareCells, makeCellId, poolOfCell } from '../../core/names.ts';
import {
  cellListKey,
  cellPartitionPrefix,
  listIndexName,
  metaKey,
  poolCellKey,
  poolKey,
  poolListKey,
  poolQueueKey,
  rowKinds,
} from './keys.ts';
import { transactPatiently } from './patient-transaction.ts';
import { amount, amountOrNull, text } from './row-values.ts';
import { decodeMeta, decodeQueue, encodeMeta, encodeQueue } from './rows-cell.ts';
import type { Row, Table, Write } from './table.ts';

/**
 * Pools with their cells, and queues. A pool comes into being with its first cell. A queue's
 * settings are stored once and copied into every cell, where passes read them. A quota is of each
 * pool, divided among the cells of that pool: what other pools there are does not make it smaller.
 */
export type StoredPool = {
  readonly name: string;
  readonly description: string;
  readonly policy: PlacementPolicy;
  readonly createdAtMs: number | null;
  readonly version: number;
};

export type PoolWithCells = {
  readonly pool: StoredPool | null;
  readonly cells: readonly PoolCell[];
};
export type PoolCell = { readonly id: CellId; readonly edges: number };
export type StoredQueue = QueueConfig & { readonly name: string; readonly version: number };

/** Where queues lie that belong to no pool: no pool can have this name. */
const everyPool = '*';
const absent = { expression: 'attribute_not_exists(#pk)' };

export type PoolsStore = ReturnType<typeof createPoolsStore>;

export function createPoolsStore(table: Table) {
  const store = {
    async find(name: string): Promise<PoolWithCells> {
      const { pk } = poolKey(name);
      const rows = await table.queryAll({ pk, consistent: true });
      const pool = rows.find((row) => row.sk === 'POOL');
      return {
        pool: pool === undefined ? null : decodePool(name, pool),
        cells: rows.filter((row) => row.sk.startsWith(cellPartitionPrefix)).map(decodePoolCell),
      };
    },

    async metas(cells: readonly CellId[]): Promise<CellMeta[]> {
      const metas = (await table.getMany(cells.map(metaKey))).map(decodeMeta);
      return metas.sort((a, b) => compareCells(a.id, b.id));
    },

    /** Every cell of the fleet, in a stable order. */
    async allCells(): Promise<CellId[]> {
      const { listPk } = cellListKey('x.0' as CellId);
      const rows = await table.queryAll({
        pk: listPk,
        index: listIndexName,
        attributes: ['listSk'],
      });
      return rows.map((row) => row.listSk as CellId).sort(compareCells);
    },

    async list(): Promise<string[]> {
      const { listPk } = poolListKey('');
      const rows = await table.queryAll({ pk: listPk, index: listIndexName });
      return rows.map((row) => text(row.listSk)).sort();
    },

    async put(pool: StoredPool, seen: number | null): Promise<boolean> {
      const row = encodePool(pool);
      if (seen === null) return table.put(row, absent);
      return table.put(row, {
        expression: '#version = :seen OR (attribute_not_exists(#version) AND :seen = :none)',
        values: { seen, none: 0 },
      });
    },

    /** Makes cell number `index` of the pool, and the pool with it; harmless when it is there. */
    async ensureCell(pool: string, index: number, nowMs: number): Promise<CellId> {
      const id = makeCellId(pool, index);
      const queues = await store.listQueues();
      const cells = index + 1;
      const writes: Write[] = [
        { kind: 'put', row: encodeMeta(newCellMeta(id, pool, nowMs)), condition: absent },
        { kind: 'put', row: { ...poolCellKey(pool, id), ...cellListKey(id), edges: 0 } },
        ...queues.map((it): Write => ({ kind: 'put', row: cellQueue(id, it, cells) })),
      ];
      const outcome = await transactPatiently(table, writes);
      await table.put(encodePool(newPool(pool, nowMs)), absent);
      if (index > 0 && outcome.kind === 'committed') await store.copyQueues();
      return id;
    },

    async findQueue(name: string): Promise<StoredQueue | null> {
      const row = await table.get(poolQueueKey(everyPool, name));
      return row === null ? null : decodeStoredQueue(row);
    },

    async listQueues(): Promise<StoredQueue[]> {
      const { pk } = poolQueueKey(everyPool, '');
      const rows = await table.queryAll({ pk, skPrefix: rowKinds.queue, consistent: true });
      return rows.map(decodeStoredQueue);
    },

    /** `false`: it was changed since `seen` was read. */
    async putQueue(queue: StoredQueue, seen: number | null): Promise<boolean> {
      const { name, ...settings } = queue;
      const row = { ...poolQueueKey(everyPool, name), ...settings };
      const stored = await table.put(
        row,
        seen === null ? absent : { expression: '#version = :seen', values: { seen } },
      );
      if (stored) await store.copyQueues();
      return stored;
    },

    /** Brings the copies in all cells up to date. */
    async copyQueues(): Promise<void> {
      const [queues, cells] = await Promise.all([store.listQueues(), store.allCells()]);
      const ofPools = Map.groupBy(cells, poolOfCell);
      for (const cell of cells) {
        const siblings = ofPools.get(poolOfCell(cell))!.length;
        for (const queue of queues) await table.put(cellQueue(cell, queue, siblings));
      }
    },
  };
  return store;
}

/**
 * Counts the edges of a cell where the pool sees them, as a part of a transaction that enrols or
 * removes one.
 */
export function countEdge(pool: string, cell: CellId, change: 1 | -1, edgesMax: number): Write {
  return {
    kind: 'update',
    key: poolCellKey(pool, cell),
    change: { add: { edges: change } },
    condition:
      change === 1
        ? { expression: '#edges < :max', values: { max: edgesMax } }
        : { expression: '#edges > :none', values: { none: 0 } },
  };
}

export function newPool(name: string, nowMs: number): StoredPool {
  return { name, description: '', policy: 'spread', createdAtMs: nowMs, version: 0 };
}

function cellQueue(cell: CellId, queue: StoredQueue, cells: number): Row {
  const quota = queue.quota === null ? null : Math.max(1, Math.floor(queue.quota / cells));
  return encodeQueue(cell, queue.name, { weight: queue.weight, strict: queue.strict, quota });
}

function encodePool(pool: StoredPool): Row {
  const { name, ...settings } = pool;
  return { ...poolKey(name), ...poolListKey(name), ...settings };
}

function decodePool(name: string, row: Row): StoredPool {
  return {
    name,
    description: text(row.description),
    policy: text(row.policy, 'spread') as PlacementPolicy,
    createdAtMs: amountOrNull(row.createdAtMs),
    version: amount(row.version),
  };
}

function decodePoolCell(row: Row): PoolCell {
  return { id: row.sk.slice(cellPartitionPrefix.length) as CellId, edges: amount(row.edges) };
}

function decodeStoredQueue(row: Row): StoredQueue {
  const name = row.sk.slice(rowKinds.queue.length);
  return { name, ...decodeQueue(row), version: amount(row.version) };
}
