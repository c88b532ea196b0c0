import type { JobCells } from '../../../core/jobs/job-cells.ts';
import { type CellId, cellIdOf, type JobId } from '../../../core/model/names.ts';
import type { StoredJob } from '../../../core/model/stored-job.ts';
import type { JobChange, JobChanges } from '../../../core/ports/jobs.ts';
import { intentKey, jobPartition } from '../keys.ts';
import { eventRow } from '../rows/rows-event.ts';
import { decodeExecution, decodeJobCell } from '../rows/rows-job.ts';
import { jobRows } from '../schema.ts';
import type { Table, Write } from '../table.ts';
import { transactWithRetry } from '../transact-with-retry.ts';
import { cancelWrites } from './cancel-job.ts';
import { createJob } from './create-job.ts';
import { editWrites } from './edit-job.ts';
import { purgeJob } from './purge-job.ts';
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
      return rows.map(decodeExecution);
    },
    create: (creation, kept) => createJob(table, creation, kept),
    async commit(change) {
      const outcome = await transactWithRetry(table, changeWrites(change));
      return outcome.kind === 'committed' ? 'changed' : 'conflict';
    },
    purge: ({ id }) => purgeJob(table, id),
    async addEvent(id, event) {
      await table.put(eventRow(id, event));
    },
  };
}

function changeWrites(change: JobChange): Write[] {
  switch (change.kind) {
    case 'edit':
      return editWrites(change);
    case 'cancel':
      return cancelWrites(change);
    case 'retry':
      return retryWrites(change);
  }
}

/** Those it was given at submit and those that counted it since; open where its ASK row is. */
async function cellsOf(table: Table, job: Pick<StoredJob, 'id' | 'cells'>): Promise<JobCells> {
  const rows = await table.queryAll({
    pk: jobPartition(job.id),
    skPrefix: jobRows.cell,
    consistent: true,
  });
  const counted = new Map(
    rows.map((row) => [cellIdOf(row.sk.slice(jobRows.cell.length)), decodeJobCell(row)]),
  );
  const known = [...new Set([...job.cells, ...counted.keys()])];
  const open = await cellsWithIntent(table, job.id, known);
  return new Map(
    known.map((cell) => [cell, { isOpen: open.has(cell), status: counted.get(cell) ?? null }]),
  );
}

async function cellsWithIntent(
  table: Table,
  id: JobId,
  cells: readonly CellId[],
): Promise<ReadonlySet<CellId>> {
  const intents = await table.getMany(cells.map((cell) => intentKey(cell, id)));
  const found = new Set(intents.map((row) => row.pk));
  return new Set(cells.filter((cell) => found.has(intentKey(cell, id).pk)));
}
