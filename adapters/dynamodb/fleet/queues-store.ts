import { type CellId, poolOfCell } from '../../../core/model/names.ts';
import type { Queues, StoredQueue } from '../../../core/ports/pools.ts';
import { cellQueueKey, poolQueueKey } from '../keys.ts';
import { whole } from '../rows/row-values.ts';
import { decodeQueue, encodeQueue, unreadableQueue } from '../rows/rows-cell.ts';
import { readable, readableOrReported } from '../rows/unreadable-row.ts';
import { poolRows } from '../schema.ts';
import type { Row, Table } from '../table.ts';
import { listCells } from './cell-list.ts';

/** Queues belong to no pool: they lie where no pool can have the name. */
const everyPool = '*';
const absent = { expression: 'attribute_not_exists(#pk)' };

export function createQueuesStore(table: Table): Queues {
  return {
    find: (name) => findQueue(table, name),
    list: () => listQueues(table),
    async put(queue, seen) {
      const { name, ...settings } = queue;
      const row = { ...poolQueueKey(everyPool, name), ...settings };
      const stored = await table.put(
        row,
        seen === null ? absent : { expression: '#version = :seen', values: { seen } },
      );
      if (stored) await settleCopies(table, name);
      return stored;
    },
    async remove(name, seen) {
      const key = poolQueueKey(everyPool, name);
      const condition = { expression: '#version = :seen', values: { seen } };
      const removed = await table.remove(key, condition);
      if (removed) await settleCopies(table, name);
      return removed;
    },
  };
}

export async function listQueues(table: Table): Promise<StoredQueue[]> {
  const { pk } = poolQueueKey(everyPool, '');
  const rows = await table.queryAll({ pk, skPrefix: poolRows.queue, consistent: true });
  return rows.map((row) => readQueue(table, row));
}

async function findQueue(table: Table, name: string): Promise<StoredQueue | null> {
  const row = await table.get(poolQueueKey(everyPool, name));
  return row === null ? null : readQueue(table, row);
}

/**
 * Brings the copies of one queue up to date, and looks again: whoever changes or removes it at the
 * same time does the same, so the last of them leaves in every cell what is stored.
 */
async function settleCopies(table: Table, name: string): Promise<void> {
  let next = await findQueue(table, name);
  for (let queue = next, isSettled = false; !isSettled; queue = next) {
    if (queue?.unreadable) return;
    const cells = await listCells(table);
    const ofPools = Map.groupBy(cells, poolOfCell);
    for (const cell of cells) {
      const siblings = ofPools.get(poolOfCell(cell))!.length;
      if (queue === null) await table.remove(cellQueueKey(cell, name));
      else await table.put(cellQueue(cell, queue, siblings));
    }
    next = await findQueue(table, name);
    isSettled = JSON.stringify(next) === JSON.stringify(queue);
  }
}

/** Brings the copies in all cells up to date, of queues whose settings are known. */
export async function copyQueues(table: Table): Promise<void> {
  const [queues, cells] = await Promise.all([listQueues(table), listCells(table)]);
  const ofPools = Map.groupBy(cells, poolOfCell);
  for (const cell of cells) {
    const siblings = ofPools.get(poolOfCell(cell))!.length;
    for (const queue of queues) {
      if (queue.unreadable !== true) await table.put(cellQueue(cell, queue, siblings));
    }
  }
}

/** A cell's own copy, with its part of the quota of a pool that has so many cells. */
export function cellQueue(cell: CellId, queue: StoredQueue, cells: number): Row {
  if (queue.unreadable) return encodeQueue(cell, queue.name, unreadableQueue);
  const quota = queue.quota === null ? null : Math.max(1, Math.floor(queue.quota / cells));
  return encodeQueue(cell, queue.name, { weight: queue.weight, strict: queue.strict, quota });
}

/** What a queue may use is not known where its row cannot be read: nothing. */
function readQueue(table: Table, row: Row): StoredQueue {
  const name = row.sk.slice(poolRows.queue.length);
  const queue = readableOrReported(table, row, (it) => {
    return { name, ...decodeQueue(it), version: whole(it.version) };
  });
  if (queue !== null) return queue;
  const version = readable(row, (it) => whole(it.version)) ?? 0;
  return { name, ...unreadableQueue, version, unreadable: true };
}
