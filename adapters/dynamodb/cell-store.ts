import type { CellId } from '../../core/names.ts';
import type { Plan } from '../../core/plan.ts';
import type { CellStore } from '../../core/ports.ts';
import { assembleCell } from './cell-rows.ts';
import {
  askKey,
  cellPartition,
  chunkKey,
  edgeFactsKey,
  edgeKey,
  factsKey,
  pointerKey,
  poolCellKey,
  reportKey,
  shareKey,
  workKey,
} from './keys.ts';
import { encodeMeta } from './rows-cell.ts';
import { chunkAttributes, encodeExecution, encodeJobCell } from './rows-job.ts';
import { encodeShare } from './rows-share.ts';
import { encodeWorkRow } from './rows-work.ts';
import type { Table, Write } from './table.ts';

/**
 * Cells in the table: one consistent Query to load, one transaction to commit. The condition on the version of `META`
 * is what makes any number of concurrent passes safe: of those that saw the same version, one commits.
 */
export function createCellStore(table: Table): CellStore {
  return {
    async load(cell) {
      return assembleCell(await table.queryAll({ pk: cellPartition(cell), consistent: true }));
    },
    async commit(plan) {
      const outcome = await table.transact(planWrites(plan));
      return outcome.kind === 'committed' ? 'committed' : 'conflict';
    },
  };
}

/** The whole plan as writes, `META` first: nothing of it is decided here. */
export function planWrites(plan: Plan): Write[] {
  if (plan.meta === null) return [];
  const cell = plan.meta.id;
  const writes: Write[] = [
    {
      kind: 'put',
      row: encodeMeta(plan.meta),
      condition: { expression: '#version = :seen', values: { seen: plan.seenVersion } },
    },
  ];
  for (const [edge, work] of plan.works) {
    if (plan.removedEdges.has(edge)) continue;
    writes.push({ kind: 'put', row: encodeWorkRow(cell, edge, work) });
  }
  for (const [job, share] of plan.shares) {
    if (plan.endedJobs.has(job)) continue;
    writes.push({ kind: 'put', row: encodeShare(cell, job, share) });
  }
  for (const status of plan.jobStatuses.values()) {
    writes.push({ kind: 'put', row: encodeJobCell(cell, status) });
  }
  for (const execution of plan.executions) {
    writes.push({ kind: 'put', row: encodeExecution(execution) });
  }
  for (const end of plan.chunkEnds) {
    const key = chunkKey(end.job, end.chunk);
    writes.push({ kind: 'update', key, change: { set: chunkAttributes(end) } });
  }
  for (const job of plan.endedJobs) {
    writes.push({ kind: 'delete', key: askKey(cell, job) });
    writes.push({ kind: 'delete', key: shareKey(cell, job) });
  }
  writes.push(...removals(cell, plan));
  return writes;
}

/** An edge that left takes its rows with it, its name becomes free, and its cell has room for another. */
function removals(cell: CellId, plan: Plan): Write[] {
  const writes: Write[] = [];
  for (const edge of plan.removedEdges) {
    const keys = [
      edgeKey(cell, edge),
      factsKey(cell, edge),
      reportKey(cell, edge),
      workKey(cell, edge),
      pointerKey(edge),
      edgeFactsKey(edge),
    ];
    for (const key of keys) writes.push({ kind: 'delete', key });
  }
  if (plan.removedEdges.size > 0 && plan.meta !== null) {
    writes.push({
      kind: 'update',
      key: poolCellKey(plan.meta.pool, cell),
      change: { add: { edges: -plan.removedEdges.size } },
    });
  }
  return writes;
}
