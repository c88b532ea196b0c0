import type { JobCells } from '../../../core/jobs/job-cells.ts';
import { type CellId, cellIdOf, type JobId } from '../../../core/model/names.ts';
import type { JobCellStatus } from '../../../core/model/plan.ts';
import type { StoredJob } from '../../../core/model/stored-job.ts';
import type { JobChange, JobChanges } from '../../../core/ports/jobs.ts';
import { recallAttemptsMax } from '../../limits.ts';
import { putAudit } from '../access/audit-store.ts';
import { intentKey, jobPartition } from '../keys.ts';
import { decodeCancelledRanges } from '../rows/cancelled-ranges.ts';
import { eventRow } from '../rows/rows-event.ts';
import { decodeExecution, decodeJobCell } from '../rows/rows-job.ts';
import { jobRows } from '../schema.ts';
import { restartWrites, updateWrites } from '../services/update-service.ts';
import type { Row, Table, Write } from '../table.ts';
import { transactWithRetry } from '../transact-with-retry.ts';
import { cancelRangesWrites, cancelWrites } from './cancel-job.ts';
import { withClosings } from './closings.ts';
import { countRows } from './count-rows.ts';
import { createJob, createPlacedJob } from './create-job.ts';
import { createJobs } from './create-jobs.ts';
import { editWrites } from './edit-job.ts';
import { purgeJob } from './purge-job.ts';
import { recallJob } from './recall-job.ts';
import { retryWrites } from './retry-job.ts';

/** What users decide about jobs, each change one transaction: nothing of it is decided here. */
export function createJobChanges(table: Table): JobChanges {
  return {
    cellsOf: (job) => cellsOf(table, job),
    async allExecutions(id) {
      const rows = await table.queryAll({
        pk: jobPartition(id),
        skPrefix: jobRows.execution,
        consistent: true,
      });
      return withClosings(table, rows.map(decodeExecution));
    },
    create: (creation, kept, audit) => createJob(table, creation, kept, audit),
    createMany: (...batch) => createJobs(table, ...batch),
    createPlaced: (...placed) => createPlacedJob(table, ...placed),
    async commit(change, trace) {
      const outcome = await transactWithRetry(table, [
        ...changeWrites(change, trace.event.atMs),
        { kind: 'put', row: eventRow(change.id, trace.event) },
        putAudit(trace.audit),
      ]);
      return outcome.kind === 'committed' ? 'changed' : 'conflict';
    },
    purge: (purge) => purgeJob(table, purge),
  };
}

function changeWrites(change: JobChange, lastEventAtMs: number): Write[] {
  switch (change.kind) {
    case 'edit':
      return editWrites(change, lastEventAtMs);
    case 'cancel':
      return cancelWrites(change, lastEventAtMs);
    case 'cancel-ranges':
      return cancelRangesWrites(change, lastEventAtMs);
    case 'retry':
      return retryWrites(change, lastEventAtMs);
    case 'update':
      return updateWrites(change, lastEventAtMs);
    case 'restart':
      return restartWrites(change, lastEventAtMs);
  }
}

/**
 * Those it was given at submit and those that counted it since; open where its ASK row is. What a
 * cell counted is read after its ASK row was found gone: it ends a job and counts it for the last
 * time in one commit, which may come between two reads.
 */
async function cellsOf(table: Table, job: Pick<StoredJob, 'id' | 'cells'>): Promise<JobCells> {
  const before = await countsOf(table, job.id);
  const known = [...new Set([...job.cells, ...before.keys()])];
  const open = await openCells(table, job.id, known);
  const counted = open.size === known.length ? before : await countsOf(table, job.id);
  return new Map(
    known.map((cell) => {
      const intent = open.get(cell);
      const asked = intent === undefined ? {} : decodeCancelledRanges(intent);
      const status = counted.get(cell) ?? null;
      return [cell, { isOpen: intent !== undefined, ...asked, status }];
    }),
  );
}

async function countsOf(table: Table, id: JobId): Promise<ReadonlyMap<CellId, JobCellStatus>> {
  const rows = await countRows(table, id);
  const cellOf = ({ sk }: Row) => cellIdOf(sk.slice(jobRows.cell.length));
  return new Map(rows.map((row) => [cellOf(row), decodeJobCell(row)]));
}

/** Where it waits on the shelf it comes back, unless a pass brings or ends it at that moment. */
async function openCells(
  table: Table,
  id: JobId,
  known: readonly CellId[],
): Promise<ReadonlyMap<CellId, Row>> {
  let open = await cellsWithIntent(table, id, known);
  for (let attempt = 0; attempt < recallAttemptsMax; attempt++) {
    const others = known.filter((cell) => !open.has(cell));
    const outcomes = await Promise.all(others.map((cell) => recallJob(table, cell, id)));
    if (outcomes.every((outcome) => outcome === 'never-there')) return open;
    open = await cellsWithIntent(table, id, known);
  }
  return open;
}

async function cellsWithIntent(
  table: Table,
  id: JobId,
  cells: readonly CellId[],
): Promise<ReadonlyMap<CellId, Row>> {
  const intents = await table.getMany(cells.map((cell) => intentKey(cell, id)));
  const found = new Map(intents.map((row) => [row.pk, row]));
  return new Map(
    cells.flatMap((cell) => {
      const row = found.get(intentKey(cell, id).pk);
      return row === undefined ? [] : [[cell, row] as const];
    }),
  );
}
