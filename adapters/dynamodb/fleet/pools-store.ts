import { newCellMeta } from '../../../core/model/cell.ts';
import type { PlacementPolicy } from '../../../core/model/job.ts';
import { type CellId, cellIdOf, compareCells, makeCellId } from '../../../core/model/names.ts';
import { newPool, type PoolCell, type Pools, type StoredPool } from '../../../core/ports/pools.ts';
import { cellListKey, metaKey, poolCellKey, poolKey, poolListKey } from '../keys.ts';
import { amount, amountOrNull, text } from '../rows/row-values.ts';
import { decodeMeta, encodeMeta } from '../rows/rows-cell.ts';
import { listIndex, lists, poolRows } from '../schema.ts';
import type { Row, Table, Write } from '../table.ts';
import { transactWithRetry } from '../transact-with-retry.ts';
import { listCells } from './cell-list.ts';
import { cellQueue, copyQueues, listQueues } from './queues-store.ts';

const absent = { expression: 'attribute_not_exists(#pk)' };

/** A pool's partition: its `POOL` row, and one row for each of its cells. */
export function createPoolsStore(table: Table): Pools {
  return {
    async find(name) {
      const { pk } = poolKey(name);
      const rows = await table.queryAll({ pk, consistent: true });
      const pool = rows.find((row) => row.sk === poolRows.pool);
      return {
        pool: pool === undefined ? null : decodePool(name, pool),
        cells: rows.filter((row) => row.sk.startsWith(poolRows.cell)).map(decodePoolCell),
      };
    },
    async list() {
      const rows = await table.queryAll({ pk: lists.pools, index: listIndex.name });
      return rows.map((row) => text(row.listSk)).sort();
    },
    async put(pool, seen) {
      const row = encodePool(pool);
      if (seen === null) return table.put(row, absent);
      return table.put(row, {
        expression: '#version = :seen OR (attribute_not_exists(#version) AND :seen = :none)',
        values: { seen, none: 0 },
      });
    },
    ensureCell: (pool, index, nowMs) => ensureCell(table, pool, index, nowMs),
    allCells: () => listCells(table),
    async metas(cells) {
      const metas = (await table.getMany(cells.map(metaKey))).map(decodeMeta);
      return metas.sort((a, b) => compareCells(a.id, b.id));
    },
  };
}

async function ensureCell(
  table: Table,
  pool: string,
  index: number,
  nowMs: number,
): Promise<CellId> {
  const id = makeCellId(pool, index);
  const queues = await listQueues(table);
  const cells = index + 1;
  const writes: Write[] = [
    { kind: 'put', row: encodeMeta(newCellMeta(id, pool, nowMs)), condition: absent },
    { kind: 'put', row: { ...poolCellKey(pool, id), ...cellListKey(id), edges: 0 } },
    ...queues.map((it): Write => ({ kind: 'put', row: cellQueue(id, it, cells) })),
  ];
  const outcome = await transactWithRetry(table, writes);
  await table.put(encodePool(newPool(pool, nowMs)), absent);
  if (index > 0 && outcome.kind === 'committed') await copyQueues(table);
  return id;
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
  return { id: cellIdOf(row.sk.slice(poolRows.cell.length)), edges: amount(row.edges) };
}
