import type { JobHistory, Move } from '../../../core/fleet/move-ranges.ts';
import type { Cell, Intent } from '../../../core/model/cell.ts';
import type { JobId } from '../../../core/model/names.ts';
import type { CellMoves } from '../../../core/ports/cells.ts';
import { intentKey, jobCellKey, jobOfRow, statusKey } from '../keys.ts';
import { encodeCancelledRanges } from '../rows/cancelled-ranges.ts';
import { withCountsIn } from '../rows/counts-in-status.ts';
import { decodeExecution, decodeJobCell } from '../rows/rows-job.ts';
import { encodeIntent } from '../rows/rows-slice.ts';
import { readableOrReported } from '../rows/unreadable-row.ts';
import { jobRows } from '../schema.ts';
import { encodeWish } from '../services/rollout-parts.ts';
import type { Condition, Table, Write } from '../table.ts';
import { createKnownCells, planWrites } from './cell-store.ts';

/**
 * Both cells change in one transaction or neither does, so no chunk is ever in two slices. What a
 * user asked for comes along only as it was read: a job that was cancelled in the meantime stays
 * where it is, and ends there.
 */
export function createMoveStore(table: Table, options: Pick<Cell, 'shelfHeads'> = {}): CellMoves {
  return {
    load: createKnownCells(table, options).load,
    async historiesIn(cell, jobs) {
      const found = await table.getMany(
        jobs.flatMap((job) => [jobCellKey(job, cell), statusKey(job)]),
      );
      const rows = [...Map.groupBy(found, ({ pk }) => pk).values()].flatMap((of) => {
        const status = of.find(({ sk }) => sk === jobRows.status);
        const counts = of.filter((row) => row !== status);
        return withCountsIn(status, counts).filter(({ sk }) => sk === jobRows.cell + cell);
      });
      const histories = new Map<JobId, JobHistory | null>();
      for (const row of rows) {
        const executions = await table.queryAll({
          pk: row.pk,
          skPrefix: jobRows.execution,
          consistent: true,
        });
        const history = readableOrReported(table, row, (it) => {
          return { ended: decodeJobCell(it), executions: executions.map(decodeExecution) };
        });
        histories.set(jobOfRow(row), history);
      }
      return histories;
    },
    async commitMove(move) {
      const outcome = await table.transact(moveWrites(move));
      return outcome.kind === 'committed' ? 'committed' : 'conflict';
    },
  };
}

export function moveWrites(move: Move): Write[] {
  const from = move.from.meta?.id;
  const to = move.to.meta?.id;
  if (from === undefined || to === undefined) throw new Error('a move changes both of its cells');
  const arrivals = [...move.intents].flatMap(([job, intent]): Write[] => [
    {
      kind: 'put',
      row: encodeIntent(to, job, intent),
      condition: { expression: 'attribute_not_exists(#pk)' },
    },
    {
      kind: 'check',
      key: intentKey(from, job),
      condition: sameWishes(intent),
    },
  ]);
  return [...planWrites(move.from), ...planWrites(move.to), ...arrivals];
}

/** Its user has not changed what the cell is to do with it. */
function sameWishes(intent: Intent): Condition {
  const { cancelledRanges } = encodeCancelledRanges(intent);
  const wish = intent.rollout === undefined ? undefined : encodeWish(intent.rollout);
  const isSame = (name: string, value: unknown) =>
    value === undefined ? `attribute_not_exists(#${name})` : `#${name} = :${name}`;
  const wishes = [
    '#cancelled = :cancelled AND #retryEpoch = :epoch AND #held = :held',
    isSame('cancelledRanges', cancelledRanges),
    isSame('wish', wish),
  ];
  return {
    expression: wishes.join(' AND '),
    values: {
      cancelled: intent.cancelled,
      epoch: intent.retryEpoch,
      held: intent.blockedByDependencies,
      ...(cancelledRanges !== undefined && { cancelledRanges }),
      ...(wish !== undefined && { wish }),
    },
  };
}
