import type { MatchSettings, Select } from '../../../core/contract/jobspec/envelope.ts';
import { type CellMeta, newCellMeta } from '../../../core/model/cell.ts';
import type { PlacementPolicy } from '../../../core/model/job.ts';
import { cellEdgesMax } from '../../../core/model/limits.ts';
import {
  type CellId,
  compareCells,
  isName,
  makeCellId,
  parseCellId,
} from '../../../core/model/names.ts';
import { newPool, type PoolCell, type Pools, type StoredPool } from '../../../core/ports/pools.ts';
import { cellListKey, metaKey, poolCellKey, poolKey, poolListKey } from '../keys.ts';
import { json, text, timeOrNull, whole, word } from '../rows/row-values.ts';
import { decodeMeta, encodeCellPool, encodeMeta, parseAmounts } from '../rows/rows-cell.ts';
import { isSelect } from '../rows/rows-select.ts';
import { isText, optional, orNull, recordOf } from '../rows/shapes.ts';
import { readable, readableOrReported, readableRows } from '../rows/unreadable-row.ts';
import { listIndex, lists, poolRows } from '../schema.ts';
import type { Condition, Row, Table, Write } from '../table.ts';
import { transactWithRetry } from '../transact-with-retry.ts';
import { listCells } from './cell-list.ts';
import { cellQueue, copyQueues, listQueues } from './queues-store.ts';
import { removedPool, removePool } from './remove-pool.ts';

const absent = { expression: 'attribute_not_exists(#pk)' };
/** One that is only remembered for its jobs may come again. */
const absentOrRemoved = {
  expression: 'attribute_not_exists(#pk) OR #state = :removed',
  values: { removed: removedPool },
};
const unnamedPool = 'unnamed';

/** A pool's partition: its `POOL` row, and one row for each of its cells. */
export function createPoolsStore(table: Table): Pools {
  return {
    async find(name) {
      const { pk } = poolKey(name);
      const rows = await table.queryAll({ pk, consistent: true });
      const pool = rows.find((row) => row.sk === poolRows.pool && row.state !== removedPool);
      return {
        pool: pool === undefined ? null : decodePool(table, name, pool),
        cells: rows.flatMap((row) => decodePoolCell(table, row) ?? []),
      };
    },
    list: () => namesOf(table, (state) => state !== removedPool),
    listWithJobs: () => namesOf(table, () => true),
    listRemoved: () => namesOf(table, (state) => state === removedPool),
    async countUnnamed() {
      return (await namesOf(table, (state) => state === unnamedPool)).length;
    },
    remove: (name, seen) => removePool(table, name, seen),
    async forget(name) {
      const removed = { expression: '#state = :removed', values: { removed: removedPool } };
      await table.remove(poolKey(name), removed);
    },
    async put(pool, seen) {
      const condition = seen === null ? absentOrRemoved : unchanged(seen);
      const stored = await table.put(encodePool(pool), condition);
      if (stored) await copyPool(table, pool);
      return stored;
    },
    ensureCell: (pool, index, nowMs) => ensureCell(table, pool, index, nowMs),
    allCells: () => listCells(table),
    async metas(cells) {
      const metas = (await table.getMany(cells.map(metaKey))).map((row) => readMeta(table, row));
      return metas.sort((a, b) => compareCells(a.id, b.id));
    },
  };
}

function unchanged(seen: number): Condition {
  return {
    expression: '#version = :seen OR (attribute_not_exists(#version) AND :seen = :none)',
    values: { seen, none: 0 },
  };
}

/** Brings the copies in its cells up to date. */
async function copyPool(table: Table, pool: StoredPool): Promise<void> {
  const { pk } = poolKey(pool.name);
  const rows = await table.queryAll({ pk, skPrefix: poolRows.cell, consistent: true });
  for (const { id } of rows.flatMap((row) => decodePoolCell(table, row) ?? [])) {
    await table.put(encodeCellPool(id, pool));
  }
}

/** The index carries what makes a pool another than one that was named. */
async function namesOf(table: Table, wanted: (state: string) => boolean): Promise<string[]> {
  const rows = await table.queryAll({ pk: lists.pools, index: listIndex.name });
  return readableRows(table, rows, (row) => ({ name: text(row.listSk), state: text(row.state) }))
    .filter(({ name, state }) => isName(name) && wanted(state))
    .map(({ name }) => name)
    .sort();
}

export async function ensureCell(
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
  await table.put({ ...encodePool(newPool(pool, nowMs)), state: unnamedPool }, absentOrRemoved);
  // Also of a cell that is there: who made it may have died before this.
  const row = await table.get(poolKey(pool));
  const stored = row === null ? null : decodePool(table, pool, row);
  const isLimited = Object.keys(stored?.edgeCapacityMax ?? {}).length > 0;
  if (stored !== null && isLimited) await table.put(encodeCellPool(id, stored));
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
  const { name, edgeCapacityMax, select, match, ...settings } = pool;
  const edgeMax = JSON.stringify(edgeCapacityMax);
  const chosen = { select: JSON.stringify(select), match: JSON.stringify(match) };
  return { ...poolKey(name), ...poolListKey(name), ...settings, ...chosen, edgeMax };
}

const isMatch = recordOf({
  unsatisfied: optional(isText),
  together: optional(isText),
  fallback: optional(isText),
});

const policies = ['spread', 'pack', 'fastest'] as const satisfies readonly PlacementPolicy[];

/** A pool whose row cannot be read is there all the same; the next change of it mends the row. */
function decodePool(table: Table, name: string, row: Row): StoredPool {
  const version = readable(row, (it) => whole(it.version)) ?? 0;
  const pool = readableOrReported(table, row, (it) => ({
    name,
    description: text(it.description),
    policy: word(it.policy, policies, 'spread'),
    edgeCapacityMax: parseAmounts(it.edgeMax) ?? {},
    select: json<Select | null>(it.select, orNull(isSelect), null),
    match: json<MatchSettings | null>(it.match, orNull(isMatch), null),
    createdAtMs: timeOrNull(it.createdAtMs),
    version: whole(it.version),
  }));
  return pool ?? { ...newPool(name, 0), description: unreadableText, createdAtMs: null, version };
}

const unreadableText = 'The row of this pool cannot be read.';

/** How many edges a cell has must be known before it gets another one. */
function decodePoolCell(table: Table, row: Row): PoolCell | null {
  if (!row.sk.startsWith(poolRows.cell)) return null;
  const id = parseCellId(row.sk.slice(poolRows.cell.length));
  if (id === null) {
    table.reportUnreadable(row);
    return null;
  }
  return { id, edges: readableOrReported(table, row, (it) => whole(it.edges)) ?? cellEdgesMax };
}

function readMeta(table: Table, row: Row): CellMeta {
  const meta = decodeMeta(row);
  if (meta.unreadable !== undefined) table.reportUnreadable(row);
  return meta;
}
