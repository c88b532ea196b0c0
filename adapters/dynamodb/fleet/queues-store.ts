import { type CellId, poolOfCell } from '../../../core/model/names.ts';
import type { Queues, StoredQueue } from '../../../core/ports/pools.ts';
import { poolQueueKey } from '../keys.ts';
import { amount } from '../rows/row-values.ts';
import { decodeQueue, encodeQueue } from '../rows/rows-cell.ts';
import { poolRows } from '../schema.ts';
import type { Row, Table } from '../table.ts';
import { listCells } from './cell-list.ts';

/** Queues belong to no pool: they lie where no pool can have the name. */
const everyPool = '*';
const absent = { expression: 'attribute_not_exists(#pk)' };

export function createQueuesStore(table: Table): Queues {
  return {
    async find(name) {
      const row = await table.get(poolQueueKey(everyPool, name));
      return row === null ? null : decodeStoredQueue(row);
    },
    list: () => listQueues(table),
    async put(queue, seen) {
      const { name, ...settings } = queue;
      const row = { ...poolQueueKey(everyPool, name), ...settings };
      const stored = await table.put(
        row,
        seen === null ? absent : { expression: '#version = :seen', values: { seen } },
      );
      if (stored) await copyQueues(table);
      return stored;
    },
  };
}

export async function listQueues(table: Table): Promise<StoredQueue[]> {
  const { pk } = poolQueueKey(everyPool, '');
  const rows = await table.queryAll({ pk, skPrefix: poolRows.queue, consistent: true });
  return rows.map(decodeStoredQueue);
}

/** Brings the copies in all cells up to date. */
export async function copyQueues(table: Table): Promise<void> {
  const [queues, cells] = await Promise.all([listQueues(table), listCells(table)]);
  const ofPools = Map.groupBy(cells, poolOfCell);
  for (const cell of cells) {
    const siblings = ofPools.get(poolOfCell(cell))!.length;
    for (const queue of queues) await table.put(cellQueue(cell, queue, siblings));
  }
}

/** A cell's own copy, with its part of the quota of a pool that has so many cells. */
export function cellQueue(cell: CellId, queue: StoredQueue, cells: number): Row {
  const quota = queue.quota === null ? null : Math.max(1, Math.floor(queue.quota / cells));
  return encodeQueue(cell, queue.name, { weight: queue.weight, strict: queue.strict, quota });
}

function decodeStoredQueue(row: Row): StoredQueue {
  const name = row.sk.slice(poolRows.queue.length);
  return { name, ...decodeQueue(row), version: amount(row.version) };
}
