import { type CellId, type EdgeName, edgeNameOf, jobIdOf } from '../../../core/model/names.ts';
import type { EdgeSettings, StoredEdge } from '../../../core/ports/edges.ts';
import {
  cellPartition,
  edgeFactsKey,
  edgeKey,
  factsKey,
  intentKey,
  type Key,
  reportKey,
  workKey,
} from '../keys.ts';
import { amount, json } from '../rows/row-values.ts';
import { decodeEdge, decodeFacts, decodeReport, edgeAttributes } from '../rows/rows-edge.ts';
import { decodeIntent } from '../rows/rows-slice.ts';
import { decodeWorkRow } from '../rows/rows-work.ts';
import { cellRows } from '../schema.ts';
import type { Row, Table } from '../table.ts';
import { edgeRowKeys } from './edge-rows.ts';

/** The rows of an edge inside its cell, with what is too bulky to lie there. */
export function createEdgeSettings(table: Table): EdgeSettings {
  return {
    async load(cell, edge) {
      return assemble(cell, edge, await table.getMany(edgeRowKeys(cell, edge)));
    },
    async listCell(cell, after, limit) {
      const names = await namesIn(table, cell, after, limit);
      const rows = await table.getMany(names.flatMap((name) => edgeRowKeys(cell, name)));
      return names.flatMap((name) => assemble(cell, name, rows) ?? []);
    },
    async intents(cell, jobs) {
      const rows = await table.getMany(jobs.map((job) => intentKey(cell, job)));
      return new Map(
        rows.map((row) => [jobIdOf(row.sk.slice(cellRows.intent.length)), decodeIntent(row)]),
      );
    },
    configure(cell, edge, config, seen) {
      return table.update(
        edgeKey(cell, edge),
        { set: { ...edgeAttributes(config), version: seen + 1 } },
        { expression: 'attribute_exists(#pk) AND #version = :seen', values: { seen } },
      );
    },
  };
}

async function namesIn(
  table: Table,
  cell: CellId,
  after: string | null,
  limit: number,
): Promise<EdgeName[]> {
  const start = after === null ? {} : { after: edgeKey(cell, edgeNameOf(after)) };
  const pk = cellPartition(cell);
  const skPrefix = cellRows.edge;
  const page = await table.query({ pk, skPrefix, consistent: true, limit, ...start });
  return page.rows.map((row) => edgeNameOf(row.sk.slice(skPrefix.length)));
}

function assemble(cell: CellId, edge: EdgeName, rows: readonly Row[]): StoredEdge | null {
  const at = (key: Key) => rows.find((row) => row.pk === key.pk && row.sk === key.sk);
  const config = at(edgeKey(cell, edge));
  if (config === undefined) return null;
  const facts = at(factsKey(cell, edge));
  const report = at(reportKey(cell, edge));
  const work = at(workKey(cell, edge));
  return {
    name: edge,
    cell,
    config: decodeEdge(config),
    version: amount(config.version),
    facts: facts === undefined ? null : decodeFacts(facts),
    report: report === undefined ? null : decodeReport(report),
    work: work === undefined ? null : decodeWorkRow(work),
    allFacts: json(at(edgeFactsKey(edge))?.facts, {}),
  };
}
