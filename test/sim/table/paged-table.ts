import { cellOfPartition } from '../../../adapters/dynamodb/keys.ts';
import type { Row, Table } from '../../../adapters/dynamodb/table.ts';
import type { SeededRandom } from '../seeded-random.ts';

/**
 * In a part of the worlds a page of a query holds a few rows, as that of a cell in which thousands
 * of jobs wait does: a cell is read page by page, and anybody may commit between two of them.
 */
export function drawPageRows(random: SeededRandom): number | null {
  return random.chance(0.15) ? random.between(3, 12) : null;
}

/** Each page is a call of its own; what is not of a cell is read as before. */
export function inPages(table: Table, pageRows: number): Table {
  const query: Table['query'] = (request) =>
    cellOfPartition(request.pk) === null
      ? table.query(request)
      : table.query({ ...request, limit: Math.min(request.limit ?? pageRows, pageRows) });
  return {
    ...table,
    query,
    async queryAll(request) {
      const rows: Row[] = [];
      for (let after = request.after ?? null; ; ) {
        const page = await query(after === null ? request : { ...request, after });
        rows.push(...page.rows);
        if (page.next === null) return rows;
        after = page.next;
      }
    },
  };
}
