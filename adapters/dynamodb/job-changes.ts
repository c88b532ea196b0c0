import { reopenedShare } from '../../core/cell.ts';
import type { ChunkCounts, JobSpec } from '../../core/job.ts';
import type { CellId, JobId } from '../../core/names.ts';
import type { Execution, JobCellStatus } from '../../core/plan.ts';
import { isEmpty } from '../../core/ranges.ts';
import { askOf, type StoredJob } from '../../core/stored-job.ts';
import type { JobWithStatus } from './jobs-store.ts';
import {
  askKey,
  cellPartitionPrefix,
  eventKey,
  executionPrefix,
  jobCellPrefix,
  jobPartition,
  metaKey,
  specKey,
  statusKey,
} from './keys.ts';
import { transactPatiently } from './patient-transaction.ts';
import { decodeExecution, decodeJobCell } from './rows-job.ts';
import { encodeAsk, encodeShare } from './rows-share.ts';
import type { Row, Table, Write } from './table.ts';

/**
 * What users change about a job that exists. The spec and its copies in the cells change in one
 * transaction that names the version it has seen, so of two edits at once one wins.
 */
export type JobEdit = {
  readonly priority: number;
  readonly labels: JobSpec['labels'];
  readonly retries: JobSpec['retries'];
};

export type ChangeOutcome = 'changed' | 'conflict';

export type JobChanges = ReturnType<typeof createJobChanges>;

export function createJobChanges(table: Table) {
  return {
    async edit(found: JobWithStatus, edit: JobEdit): Promise<ChangeOutcome> {
      const { job } = found;
      const spec: JobSpec = { ...job.spec, ...edit };
      const cells = await openCells(table, job);
      return settle(table, [
        specUpdate(job, { spec: JSON.stringify(spec) }),
        {
          kind: 'update',
          key: statusKey(job.id),
          change: {
            set: {
              labels: JSON.stringify(edit.labels),
              maxFailedChunks: edit.retries.maxFailedChunks,
            },
            add: { version: 1 },
          },
        },
        ...cells.map((cell) =>
          askUpdate(cell, job.id, {
            priority: edit.priority,
            retries: JSON.stringify(edit.retries),
          }),
        ),
      ]);
    },

    async cancel(found: JobWithStatus, atMs: number): Promise<ChangeOutcome> {
      const { job } = found;
      const cells = await openCells(table, job);
      return settle(table, [
        specUpdate(job, { cancelledAtMs: atMs }),
        {
          kind: 'update',
          key: statusKey(job.id),
          change: { set: { cancelled: true }, add: { version: 1 } },
        },
        ...cells.map((cell) => askUpdate(cell, job.id, { cancelled: true })),
      ]);
    },

    /** Dead chunks run again: a new epoch in every cell that has some. */
    async retry(found: JobWithStatus): Promise<ChangeOutcome> {
      const { job, status } = found;
      const next: StoredJob = { ...job, retryEpoch: job.retryEpoch + 1 };
      const rows = await table.queryAll({
        pk: jobPartition(job.id),
        skPrefix: jobCellPrefix,
        consistent: true,
      });
      const cells = rows
        .map((row) => ({ id: cellOfRow(row), status: decodeJobCell(row) }))
        .filter((cell) => !isEmpty(cell.status.dead));
      const executions = (
        await table.queryAll({
          pk: jobPartition(job.id),
          skPrefix: executionPrefix,
          consistent: true,
        })
      ).map(decodeExecution);
      const open = new Set(await openCells(table, job));
      const { dead, pending } = status.counts;
      const counts: ChunkCounts = { ...status.counts, dead: 0, pending: pending + dead };
      const reopened = {
        state: 'pending',
        counts: JSON.stringify(counts),
        endedAtMs: null,
        reason: null,
      };
      return settle(table, [
        specUpdate(job, { retryEpoch: next.retryEpoch }),
        {
          kind: 'update',
          key: statusKey(job.id),
          change: { set: reopened, add: { version: 1 } },
        },
        ...cells.flatMap((cell) =>
          retryWrites(next, cell.id, cell.status, executions, open.has(cell.id)),
        ),
      ]);
    },

    /** Every row of a job goes; the index forgets it with its status. */
    async purge(id: JobId): Promise<void> {
      const rows = await table.queryAll({
        pk: jobPartition(id),
        consistent: true,
        attributes: ['pk', 'sk'],
      });
      const last = specKey(id).sk;
      const ordered = rows.toSorted((a, b) => Number(a.sk === last) - Number(b.sk === last));
      for (let start = 0; start < ordered.length; start += purgeRowsMax) {
        const writes = ordered
          .slice(start, start + purgeRowsMax)
          .map((row): Write => ({ kind: 'delete', key: row }));
        await settle(table, writes);
      }
    },

    async tell(id: JobId, event: JobEventRow): Promise<void> {
      const { atMs, kind, by, detail, expiresAt } = event;
      await table.put({ ...eventKey(id, atMs, kind), kind, by, detail, expiresAt });
    },
  };
}

export type JobEventRow = {
  readonly atMs: number;
  readonly kind: string;
  readonly by: string;
  readonly detail: string;
  /** Seconds. */
  readonly expiresAt: number;
};

const purgeRowsMax = 50;

const cellOfRow = (row: Row): CellId => row.sk.slice(cellPartitionPrefix.length) as CellId;

/** Cells where the job is still open: that have its ASK row. */
async function openCells(table: Table, job: StoredJob): Promise<CellId[]> {
  const rows = await table.queryAll({
    pk: jobPartition(job.id),
    skPrefix: jobCellPrefix,
    consistent: true,
    attributes: ['pk', 'sk'],
  });
  const known = [...new Set([...job.cells, ...rows.map(cellOfRow)])];
  const asks = await table.getMany(known.map((cell) => askKey(cell, job.id)));
  const open = new Set(asks.map((row) => row.pk));
  return known.filter((cell) => open.has(askKey(cell, job.id).pk));
}

function specUpdate(job: StoredJob, set: Record<string, unknown>): Write {
  return {
    kind: 'update',
    key: specKey(job.id),
    change: { set: { ...set, version: job.version + 1 } },
    condition: { expression: '#version = :seen', values: { seen: job.version } },
  };
}

function askUpdate(cell: CellId, job: JobId, set: Record<string, unknown>): Write {
  const condition = { expression: 'attribute_exists(#pk)' };
  return { kind: 'update', key: askKey(cell, job), change: { set }, condition };
}

function retryWrites(
  job: StoredJob,
  cell: CellId,
  status: JobCellStatus,
  executions: readonly Execution[],
  isOpen: boolean,
): Write[] {
  if (isOpen) {
    // A pass that is ending the job here right now has not seen this: raising the version makes it
    // decide again.
    const again: Write = { kind: 'update', key: metaKey(cell), change: { add: { version: 1 } } };
    return [askUpdate(cell, job.id, { retryEpoch: job.retryEpoch }), again];
  }
  const absent = { expression: 'attribute_not_exists(#pk)' };
  const share = reopenedShare(status, executions, job.retryEpoch);
  return [
    { kind: 'put', row: encodeAsk(cell, job.id, askOf(job, false)), condition: absent },
    { kind: 'put', row: encodeShare(cell, job.id, share), condition: absent },
  ];
}

async function settle(table: Table, writes: readonly Write[]): Promise<ChangeOutcome> {
  const outcome = await transactPatiently(table, writes);
  return outcome.kind === 'committed' ? 'changed' : 'conflict';
}
