import type { Execution } from '../../../core/model/plan.ts';
import { statusKey } from '../keys.ts';
import { closedIn } from '../rows/counts-in-status.ts';
import { readableOrReported } from '../rows/unreadable-row.ts';
import type { Table } from '../table.ts';

/** Executions as they are: of those that are open, the end may lie in the status of the job. */
export async function withClosings(
  table: Table,
  executions: readonly Execution[],
): Promise<Execution[]> {
  const open = executions.filter(({ endedAtMs }) => endedAtMs === null).map(({ job }) => job);
  const statuses = open.length === 0 ? [] : await table.getMany([...new Set(open)].map(statusKey));
  const byPartition = new Map(statuses.map((row) => [row.pk, row]));
  return executions.map((execution) => {
    const status = byPartition.get(statusKey(execution.job).pk);
    if (status === undefined) return execution;
    return readableOrReported(table, status, (row) => closedIn(row, execution)) ?? execution;
  });
}
