import type { CellSummary } from '../../../core/model/cell-summary.ts';
import { conflictAttemptsMax } from '../../../core/model/limits.ts';
import { type CellId, cellIdOf, compareCells } from '../../../core/model/names.ts';
import type { Pools } from '../../../core/ports/pools.ts';
import { createJobLists } from '../jobs/job-lists.ts';
import { retireCell } from '../jobs/job-stats.ts';
import { cellPartition, metaKey, poolCellKey, poolKey, poolListKey } from '../keys.ts';
import { amount } from '../rows/row-values.ts';
import { decodeMeta } from '../rows/rows-cell.ts';
import { readable } from '../rows/unreadable-row.ts';
import { cellRows, poolRows } from '../schema.ts';
import type { Row, Table, Write } from '../table.ts';
import { transactWithRetry } from '../transact-with-retry.ts';

/**
 * The end of a pool. Each cell goes in one transaction that sees it empty: no edge can be counted
 * in at the same time, and a pass that commits meanwhile moves its version. A job that was on its
 * way lies in a cell without `META` then, and the pass that it wakes makes the cell again.
 */
export async function removePool(
  table: Table,
  name: string,
  seen: number,
): Promise<Awaited<ReturnType<Pools['remove']>>> {
  const key = poolKey(name);
  const rows = await table.queryAll({ pk: key.pk, consistent: true });
  const cells = rows.filter((row) => row.sk.startsWith(poolRows.cell));
  if (cells.some((row) => readable(row, (it) => amount(it.edges)) !== 0)) return 'in-use';
  const ids = cells.map((row) => cellIdOf(row.sk.slice(poolRows.cell.length)));
  for (const id of ids.sort(compareCells).toReversed()) {
    if (!(await removeCell(table, name, id))) return 'in-use';
  }
  const condition = {
    expression: '#version = :seen OR (attribute_not_exists(#version) AND :seen = :none)',
    values: { seen, none: 0 },
  };
  const [job] = await createJobLists(table).listPool(name, null, 1);
  const isDone =
    job === undefined
      ? await table.remove(key, condition)
      : await table.put({ ...key, ...poolListKey(name), state: removedPool }, condition);
  return isDone ? 'removed' : 'changed';
}

/** What the row of a pool is that is only remembered for its jobs. */
export const removedPool = 'removed';

/** `false`: it holds something, cannot be read, or others changed it each time. */
async function removeCell(table: Table, pool: string, id: CellId): Promise<boolean> {
  const pk = cellPartition(id);
  for (let attempt = 1; attempt <= conflictAttemptsMax; attempt++) {
    const rows = await table.queryAll({ pk, consistent: true });
    if (rows.some(isHeld)) return false;
    const meta = rows.find((row) => row.sk === cellRows.meta);
    if (meta !== undefined && decodeMeta(meta).unreadable !== undefined) return false;
    const { kind } = await transactWithRetry(table, removalWrites(pool, id, meta));
    if (kind !== 'committed') continue;
    for (const { sk } of rows) if (sk !== cellRows.meta) await table.remove({ pk, sk });
    return true;
  }
  return false;
}

function isHeld({ sk }: Row): boolean {
  return [cellRows.edge, cellRows.intent, cellRows.shelf].some((kind) => sk.startsWith(kind));
}

function removalWrites(pool: string, id: CellId, meta: Row | undefined): Write[] {
  const empty = { expression: '#edges = :none', values: { none: 0 } };
  const seat: Write = { kind: 'delete', key: poolCellKey(pool, id), condition: empty };
  if (meta === undefined) return [seat];
  const { version, summary } = decodeMeta(meta);
  const same = { expression: '#version = :seen', values: { seen: version } };
  return [seat, { kind: 'delete', key: metaKey(id), condition: same }, ...countWrites(id, summary)];
}

function countWrites(id: CellId, { chunks, power, jobStates }: CellSummary): Write[] {
  const { done, dead, cancelled } = chunks;
  const counted = { done, dead, cancelled, served: power.served };
  const all = [...Object.values(counted), ...Object.values(jobStates)];
  return all.some((value) => value !== 0) ? [retireCell(id, counted, jobStates)] : [];
}
