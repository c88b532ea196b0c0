import { edgeNameOf, type JobId, parseJobId } from '../../../core/model/names.ts';
import { type JobWithStatus, unknownStatus } from '../../../core/model/stored-job.ts';
import type { JobRecords, JobsStore } from '../../../core/ports/jobs.ts';
import { executionKey, jobPartition, specKey, statusKey } from '../keys.ts';
import { decodeExecution, decodeJobCell, decodeStatus } from '../rows/rows-job.ts';
import { decodeSpec } from '../rows/rows-spec.ts';
import { readableOrReported, readableRows } from '../rows/unreadable-row.ts';
import { jobRows, nameRows } from '../schema.ts';
import { nameKey } from '../services/name-key.ts';
import type { Row, Table } from '../table.ts';
import { withClosings } from './closings.ts';
import { countRows } from './count-rows.ts';
import { createJobHistory } from './job-history.ts';
import { createJobLists } from './job-lists.ts';

/** Jobs as the API shows them. */
export function createJobsStore(table: Table): JobsStore {
  return { ...createJobRecords(table), ...createJobLists(table), ...createJobHistory(table) };
}

function createJobRecords(table: Table): JobRecords {
  return {
    async find(id) {
      const rows = await table.getMany([specKey(id), statusKey(id)]);
      return joined(table, rows, id);
    },

    async findMany(ids) {
      const rows = await table.getMany(ids.flatMap((id) => [specKey(id), statusKey(id)]));
      const byPartition = Map.groupBy(rows, (row) => row.pk);
      return ids.flatMap((id) => joined(table, byPartition.get(jobPartition(id)) ?? [], id) ?? []);
    },

    async findSpec(id) {
      const row = await table.get(specKey(id));
      return row === null ? null : readableOrReported(table, row, decodeSpec);
    },

    async executions(id, after, limit) {
      const start = after === null ? {} : { after: executionKey(id, edgeNameOf(after)) };
      const pk = jobPartition(id);
      const page = await table.query({ pk, skPrefix: jobRows.execution, limit, ...start });
      return withClosings(table, readableRows(table, page.rows, decodeExecution));
    },

    async cellStatuses(id) {
      return readableRows(table, await countRows(table, id), decodeJobCell);
    },

    async named(pool, name) {
      const rows = await table.queryAll({ pk: nameKey(pool, name, null).pk, consistent: true });
      const jobs = rows.flatMap(({ sk }) => {
        return sk.startsWith(nameRows.job) ? (parseJobId(sk.slice(nameRows.job.length)) ?? []) : [];
      });
      const last = rows.find(({ sk }) => sk === nameRows.last);
      return { jobs, last: parseJobId(String(last?.job ?? '')) };
    },
  };
}

/**
 * Without its spec nobody knows whose the job is, so nobody sees it. Without its status it is shown
 * as one of which nothing is known but that.
 */
function joined(table: Table, rows: readonly Row[], id: JobId): JobWithStatus | null {
  const spec = rows.find((row) => row.sk === specKey(id).sk);
  const status = rows.find((row) => row.sk === statusKey(id).sk);
  if (spec === undefined || status === undefined) return null;
  const job = readableOrReported(table, spec, decodeSpec);
  if (job === null) return null;
  const read = readableOrReported(table, status, decodeStatus);
  if (read !== null) return { job, status: read };
  return { job, status: unknownStatus(job, status.sk), unreadable: status.sk };
}
