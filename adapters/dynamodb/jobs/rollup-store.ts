import type { JobState } from '../../../core/model/job.ts';
import { pendingRollupsMax } from '../../../core/model/limits.ts';
import { type CellId, cellIdOf, type JobId, jobIdOf } from '../../../core/model/names.ts';
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
import { withCountsIn } from '../rows/counts-in-status.ts';
import { time } from '../rows/row-values.ts';
import { eventRow } from '../rows/rows-event.ts';
import {
  decodeJobCell,
  decodeStatus,
  mayBeNews,
  newsOf,
  statusAttributes,
} from '../rows/rows-job.ts';
import { readable, readableOrReported, readableRows } from '../rows/unreadable-row.ts';
import { jobRows, passMark } from '../schema.ts';
import { encodeTurn } from '../services/rollout-parts.ts';
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
      const status = readableOrReported(table, row, decodeStatus);
      if (status === null) return null;
      const pk = jobPartition(job);
      const [rows, parents] = await Promise.all([
        table.queryAll({ pk, skPrefix: jobRows.cell, consistent: true }),
        status.blockedByDependencies ? table.getMany(status.dependsOn.map(statusKey)) : [],
      ]);
      const cells = withCountsIn(row, rows);
      const counted = readableRows(table, cells, (it) => {
        return [cellIdOf(it.sk.slice(jobRows.cell.length)), decodeJobCell(it)] as const;
      });
      if (counted.length < cells.length) return null;
      return { status, cells: new Map(counted), parents: statesOf(parents) };
    },

    async save(seen, rollup) {
      const { next, events } = rollup;
      const key = statusKey(next.job);
      const news = newsOf(mayBeNews(next, seen.state));
      const change = { set: { ...statusAttributes(next), ...news, version: next.version } };
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

    async giveTurn(job, { cell, turn }) {
      const text = encodeTurn(turn);
      const isThere = 'attribute_exists(#pk)';
      const isOther = '(attribute_not_exists(#turn) OR #turn <> :turn)';
      const condition = { expression: `${isThere} AND ${isOther}`, values: { turn: text } };
      const change = { set: { turn: text }, remove: [passMark] };
      await table.update(intentKey(cell, job), change, condition);
    },

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
      const rows = pages.flatMap((page) => page.rows);
      const ended = readableRows(table, rows, (row) => [time(row.atMs), jobIdOf(row.sk)] as const);
      return ended.filter(([at]) => at < atMs).map(([, job]) => job);
    },

    async dependantsOf(job) {
      const rows = await table.queryAll({
        pk: jobPartition(job),
        skPrefix: jobRows.dependant,
        consistent: true,
      });
      return readableRows(table, rows, (row) => jobIdOf(row.sk.slice(jobRows.dependant.length)));
    },

    countProgress: (progress, atMs) => addProgress(table, progress, atMs),
  };
}

/** Of a parent that cannot be read nobody knows that it has ended. */
function statesOf(rows: readonly Row[]): Map<JobId, JobState> {
  return new Map(
    rows.map((row) => [jobOfRow(row), readable(row, (it) => decodeStatus(it).state) ?? 'pending']),
  );
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
      { set: { [name]: value }, remove: [passMark] },
      { expression: `#${name} = :other`, values: { other: !value } },
    );
  }
}
