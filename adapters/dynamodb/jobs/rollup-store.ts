import type { JobState } from '../../../core/model/job.ts';
import { pendingRollupsMax } from '../../../core/model/limits.ts';
import { type CellId, cellIdOf, type JobId, jobIdOf } from '../../../core/model/names.ts';
import type { JobCellStatus } from '../../../core/model/plan.ts';
import type { PendingRollups, RollupStore } from '../../../core/ports/rollups.ts';
import {
  intentKey,
  jobOfRow,
  jobPartition,
  pendingRollupKey,
  pendingRollupPartition,
  pendingRollupShards,
  statusKey,
} from '../keys.ts';
import { amount, text } from '../rows/row-values.ts';
import { eventRow } from '../rows/rows-event.ts';
import { decodeJobCell, decodeStatus, statusAttributes } from '../rows/rows-job.ts';
import { jobRows } from '../schema.ts';
import type { Row, Table, Write } from '../table.ts';
import { addProgress, moveJob } from './job-stats.ts';

/**
 * Jobs for the rollup: the status is read before the counts, so that a version never stands for
 * older counts.
 */
export function createRollupStore(table: Table): RollupStore & PendingRollups {
  return {
    async load(job) {
      const row = await table.get(statusKey(job));
      if (row === null) return null;
      const status = decodeStatus(row);
      const pk = jobPartition(job);
      const [cells, parents] = await Promise.all([
        table.queryAll({ pk, skPrefix: jobRows.cell, consistent: true }),
        status.blockedByDependencies ? table.getMany(status.dependsOn.map(statusKey)) : [],
      ]);
      return { status, cells: cellsOf(cells), parents: statesOf(parents) };
    },

    async save(seen, rollup) {
      const { next, events } = rollup;
      const key = statusKey(next.job);
      const change = { set: statusAttributes(next) };
      const condition = { expression: '#version = :seen', values: { seen: seen.version } };
      if (next.countedAs === seen.countedAs && events.length === 0) {
        return (await table.update(key, change, condition)) ? 'saved' : 'conflict';
      }
      const writes: Write[] = [{ kind: 'update', key, change, condition }];
      if (next.countedAs !== seen.countedAs && next.countedAs !== null) {
        writes.push(moveJob(next.job, seen.countedAs, next.countedAs));
      }
      writes.push(
        ...events.map((event): Write => ({ kind: 'put', row: eventRow(next.job, event) })),
      );
      const outcome = await table.transact(writes);
      return outcome.kind === 'committed' ? 'saved' : 'conflict';
    },

    release: (job, cells) => setIntents(table, job, cells, 'held', false),
    cancel: (job, cells) => setIntents(table, job, cells, 'cancelled', true),

    async settle(job, endedAtMs) {
      // One that a cell wrote after this fold was read stays.
      const condition = { expression: '#atMs <= :at', values: { at: endedAtMs } };
      await table.remove(pendingRollupKey(job), condition);
    },

    async pendingRollups(atMs) {
      const shards = Array.from({ length: pendingRollupShards }, (_, shard) => shard);
      const pages = await Promise.all(
        shards.map((shard) =>
          table.query({ pk: pendingRollupPartition(shard), limit: pendingRollupsMax }),
        ),
      );
      const rows = pages.flatMap((page) => page.rows).filter((row) => amount(row.atMs) < atMs);
      return rows.map((row) => jobIdOf(row.sk));
    },

    async dependantsOf(job) {
      const rows = await table.queryAll({
        pk: jobPartition(job),
        skPrefix: jobRows.dependant,
        consistent: true,
      });
      return rows.map((row) => jobIdOf(row.sk.slice(jobRows.dependant.length)));
    },

    countProgress: (progress, atMs) => addProgress(table, progress, atMs),
  };
}

function cellsOf(rows: readonly Row[]): Map<CellId, JobCellStatus> {
  return new Map(
    rows.map((row) => [cellIdOf(row.sk.slice(jobRows.cell.length)), decodeJobCell(row)]),
  );
}

function statesOf(rows: readonly Row[]): Map<JobId, JobState> {
  return new Map(rows.map((row) => [jobOfRow(row), text(row.state) as JobState]));
}

/** A row that says so already is left as it is, because every change of it wakes its cell. */
async function setIntents(
  table: Table,
  job: JobId,
  cells: readonly CellId[],
  name: 'held' | 'cancelled',
  value: boolean,
): Promise<void> {
  for (const cell of cells) {
    await table.update(
      intentKey(cell, job),
      { set: { [name]: value } },
      { expression: `#${name} = :other`, values: { other: !value } },
    );
  }
}
