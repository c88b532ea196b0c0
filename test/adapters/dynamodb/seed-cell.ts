import { isDeepStrictEqual } from 'node:util';
import { reportKey } from '../../../adapters/dynamodb/keys.ts';
import { encodeMeta, encodeQueue } from '../../../adapters/dynamodb/rows/rows-cell.ts';
import { encodeEdge, encodeFacts } from '../../../adapters/dynamodb/rows/rows-edge.ts';
import { encodeIntent, encodeSlice } from '../../../adapters/dynamodb/rows/rows-slice.ts';
import { encodeWorkRow } from '../../../adapters/dynamodb/rows/rows-work.ts';
import type { Row, Table } from '../../../adapters/dynamodb/table.ts';
import { type Cell, newSlice } from '../../../core/model/cell.ts';
import { transactRowsMax } from '../../../core/model/limits.ts';
import { encodeProgressReport } from '../../../core/protocol/progress-report.ts';

/** Stores a cell row by row, as the API, the reports and the passes would have left it. */
export async function seedCell(table: Table, cell: Cell): Promise<void> {
  const { id } = cell.meta;
  const rows: Row[] = [encodeMeta(cell.meta)];
  for (const [name, queue] of cell.queues) rows.push(encodeQueue(id, name, queue));
  for (const edge of cell.edges.values()) {
    rows.push(encodeEdge(id, edge.name, edge.config));
    if (edge.facts !== null) rows.push(encodeFacts(id, edge.name, edge.facts));
    if (edge.work !== null) rows.push(encodeWorkRow(id, edge.name, edge.work));
    if (edge.report !== null) {
      const { progress, ...report } = edge.report;
      const text = progress === null ? null : JSON.stringify(encodeProgressReport(progress));
      rows.push({ ...reportKey(id, edge.name), ...report, prog: text });
    }
  }
  for (const job of cell.jobs.values()) {
    const { intent, slice } = job;
    const isNew = isDeepStrictEqual(slice, newSlice(slice.ranges));
    if (isNew) rows.push(encodeIntent(id, job.id, intent, slice.ranges));
    else rows.push(encodeIntent(id, job.id, intent), encodeSlice(id, job.id, slice));
  }
  for (let start = 0; start < rows.length; start += transactRowsMax) {
    const writes = rows
      .slice(start, start + transactRowsMax)
      .map((row) => ({ kind: 'put' as const, row }));
    await table.transact(writes);
  }
}
