import { edgeNameOf, type JobId } from '../../../core/model/names.ts';
import type { JobWithStatus } from '../../../core/model/stored-job.ts';
import type { JobRecords, JobsStore } from '../../../core/ports/jobs.ts';
import { executionKey, jobPartition, specKey, statusKey } from '../keys.ts';
import { decodeExecution, decodeJobCell, decodeStatus } from '../rows/rows-job.ts';
import { decodeSpec } from '../rows/rows-spec.ts';
import { jobRows } from '../schema.ts';
import type { Row, Table } from '../table.ts';
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
      return joined(rows, id);
    },

    async findMany(ids) {
      const rows = await table.getMany(ids.flatMap((id) => [specKey(id), statusKey(id)]));
      const byPartition = Map.groupBy(rows, (row) => row.pk);
      return ids.flatMap((id) => joined(byPartition.get(jobPartition(id)) ?? [], id) ?? []);
    },

    async findSpec(id) {
      const row = await table.get(specKey(id));
      return row === null ? null : decodeSpec(row);
    },

    async executions(id, after, limit) {
      const start = after === null ? {} : { after: executionKey(id, edgeNameOf(after)) };
      const pk = jobPartition(id);
      const page = await table.query({ pk, skPrefix: jobRows.execution, limit, ...start });
      return page.rows.map(decodeExecution);
    },

    async cellStatuses(id) {
      const rows = await table.queryAll({
        pk: jobPartition(id),
        skPrefix: jobRows.cell,
        consistent: true,
      });
      return rows.map(decodeJobCell);
    },
  };
}

function joined(rows: readonly Row[], id: JobId): JobWithStatus | null {
  const spec = rows.find((row) => row.sk === specKey(id).sk);
  const status = rows.find((row) => row.sk === statusKey(id).sk);
  if (spec === undefined || status === undefined) return null;
  return { job: decodeSpec(spec), status: decodeStatus(status) };
}
