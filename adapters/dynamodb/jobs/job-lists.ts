import { jobListShards } from '../../../core/model/limits.ts';
import type { JobLists, ListedJob } from '../../../core/ports/jobs.ts';
import { edgeJobsPartition, executionKey, jobListPartition, jobOfRow, statusKey } from '../keys.ts';
import { json, text } from '../rows/row-values.ts';
import { decodeExecution } from '../rows/rows-job.ts';
import { isText, tableOf } from '../rows/shapes.ts';
import { readableRows } from '../rows/unreadable-row.ts';
import { listIndex } from '../schema.ts';
import type { Row, Table } from '../table.ts';
import { withClosings } from './closings.ts';
import { jobOfPosition } from './job-position.ts';

/** Lists of jobs lie in the index; they follow the rows a moment later. */
export function createJobLists(table: Table): JobLists {
  return {
    async listPool(pool, position, limit) {
      const shards = Array.from({ length: jobListShards }, (_, shard) => shard);
      const pages = await Promise.all(
        shards.map((shard) => {
          const listPk = jobListPartition(pool, shard);
          const after = position === null ? {} : { after: startOf(listPk, position) };
          return table.query({
            pk: listPk,
            index: listIndex.name,
            backwards: true,
            limit,
            ...after,
          });
        }),
      );
      return pages
        .flatMap((page) => readableRows(table, page.rows, decodeListed))
        .sort((a, b) => (a.position < b.position ? 1 : -1))
        .slice(0, limit);
    },

    async listOfEdge(edge, position, limit) {
      const listPk = edgeJobsPartition(edge);
      const after =
        position === null
          ? {}
          : { after: { ...executionKey(jobOfPosition(position), edge), listPk, listSk: position } };
      const page = await table.query({
        pk: listPk,
        index: listIndex.name,
        backwards: true,
        limit,
        ...after,
      });
      return readableRows(table, page.rows, (row) => {
        return { id: jobOfRow(row), position: text(row.listSk) };
      });
    },

    async executionsOn(edge, jobs) {
      const rows = await table.getMany(jobs.map((job) => executionKey(job, edge)));
      return withClosings(table, readableRows(table, rows, decodeExecution));
    },
  };
}

function startOf(listPk: string, position: string) {
  return { ...statusKey(jobOfPosition(position)), listPk, listSk: position };
}

function decodeListed(row: Row): ListedJob {
  const position = text(row.listSk);
  return {
    id: jobOfPosition(position),
    position,
    state: text(row.state),
    queue: text(row.queue),
    labels: json(row.labels, tableOf(isText), {}),
  };
}
