import type { CellId } from '../../../core/model/names.ts';
import type { Plan } from '../../../core/model/plan.ts';
import type { CellStore } from '../../../core/ports/cells.ts';
import {
  cellPartition,
  chunkKey,
  edgeKey,
  factsKey,
  intentKey,
  pendingRollupKey,
  reportKey,
  sliceKey,
  workKey,
} from '../keys.ts';
import { assembleCell } from '../rows/cell-rows.ts';
import { encodeMeta } from '../rows/rows-cell.ts';
import { chunkAttributes, encodeExecution, encodeJobCell } from '../rows/rows-job.ts';
import { encodeSlice } from '../rows/rows-slice.ts';
import { encodeWorkRow } from '../rows/rows-work.ts';
import type { Table, Write } from '../table.ts';

/**
 * Cells in the table: one consistent Query to load, one transaction to commit. The condition on the
 * version of `META` is what makes any number of concurrent passes safe: of those that saw the same
 * version, one commits.
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
  for (const [job, slice] of plan.slices) {
    if (plan.endedJobs.has(job)) continue;
    writes.push({ kind: 'put', row: encodeSlice(cell, job, slice) });
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
    writes.push({ kind: 'delete', key: intentKey(cell, job) });
    writes.push({ kind: 'delete', key: sliceKey(cell, job) });
    const atMs = plan.jobStatuses.get(job)?.endedAtMs ?? 0;
    writes.push({ kind: 'put', row: { ...pendingRollupKey(job), atMs } });
  }
  writes.push(...removals(cell, plan));
  return writes;
}

/**
 * An edge that left takes its rows in the cell with it; its name and its identity go later, when
 * nothing of it can arrive any more. The condition is for one that enrolled again in the meantime.
 */
function removals(cell: CellId, plan: Plan): Write[] {
  return [...plan.removedEdges].flatMap((edge): Write[] => [
    {
      kind: 'delete',
      key: edgeKey(cell, edge),
      condition: {
        expression: 'attribute_not_exists(#pk) OR #removing <> :staying',
        values: { staying: 'null' },
      },
    },
    { kind: 'delete', key: factsKey(cell, edge) },
    { kind: 'delete', key: reportKey(cell, edge) },
    { kind: 'delete', key: workKey(cell, edge) },
  ]);
}
