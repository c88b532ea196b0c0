import {
  type CellId,
  type EdgeName,
  edgeNameOf,
  jobIdOf,
  parseEdgeName,
} from '../../../core/model/names.ts';
import { polledAt } from '../../../core/model/presence.ts';
import type { EdgeSettings, StoredEdge } from '../../../core/ports/edges.ts';
import { isRecord } from '../../../core/protocol/json.ts';
import {
  cellPartition,
  cellPoolKey,
  clusterKey,
  edgeFactsKey,
  edgeKey,
  factsKey,
  intentKey,
  type Key,
  pointerKey,
  reportKey,
  seenKey,
  workKey,
} from '../keys.ts';
import { json, time, whole } from '../rows/row-values.ts';
import { decodeCellPool } from '../rows/rows-cell.ts';
import { decodeCluster } from '../rows/rows-cluster.ts';
import {
  decodeEdge,
  decodeFacts,
  decodeReport,
  edgeAttributes,
  unreadableConfig,
} from '../rows/rows-edge.ts';
import { decodeIdentity } from '../rows/rows-identity.ts';
import { decodeIntent } from '../rows/rows-slice.ts';
import { decodeWorkRow } from '../rows/rows-work.ts';
import { readableOrReported, readableRows } from '../rows/unreadable-row.ts';
import { cellRows } from '../schema.ts';
import type { Row, Table } from '../table.ts';
import { edgeRowKeys } from './edge-rows.ts';

/** The rows of an edge inside its cell, with what is too bulky to lie there. */
export function createEdgeSettings(table: Table): EdgeSettings {
  return {
    async load(cell, edge) {
      return assemble(
        table,
        cell,
        edge,
        await table.getMany([...edgeRowKeys(cell, edge), pointerKey(edge), cellPoolKey(cell)]),
      );
    },
    async listCell(cell, after, limit) {
      const names = await namesIn(table, cell, after, limit);
      const rows = await table.getMany([
        ...names.flatMap((name) => edgeRowKeys(cell, name)),
        cellPoolKey(cell),
      ]);
      return names.flatMap((name) => assemble(table, cell, name, rows) ?? []);
    },
    async intents(cell, jobs) {
      const rows = await table.getMany(jobs.map((job) => intentKey(cell, job)));
      const intents = readableRows(table, rows, (row) => {
        return [jobIdOf(row.sk.slice(cellRows.intent.length)), decodeIntent(row)] as const;
      });
      return new Map(intents);
    },
    configure(cell, edge, config, seen) {
      return table.update(
        edgeKey(cell, edge),
        { set: { ...edgeAttributes(config), version: seen + 1 } },
        { expression: 'attribute_exists(#pk) AND #version = :seen', values: { seen } },
      );
    },
    replaceSettings(cell, edge, config) {
      const set = { ...edgeAttributes(config), version: 1 };
      return table.update(edgeKey(cell, edge), { set }, { expression: 'attribute_exists(#pk)' });
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
  return page.rows.flatMap((row) => parseEdgeName(row.sk.slice(skPrefix.length)) ?? []);
}

/** An edge with a row that cannot be read is there, and says so; of that row it shows nothing. */
function assemble(
  table: Table,
  cell: CellId,
  edge: EdgeName,
  rows: readonly Row[],
): StoredEdge | null {
  let unreadable: string | undefined;
  const read = <T>(key: Key, decode: (row: Row) => T): T | null => {
    const row = rows.find((it) => it.pk === key.pk && it.sk === key.sk);
    if (row === undefined) return null;
    const value = readableOrReported(table, row, decode);
    if (value === null) unreadable = row.sk;
    return value;
  };
  const key = edgeKey(cell, edge);
  const row = rows.find((it) => it.pk === key.pk && it.sk === key.sk);
  if (row === undefined) return null;
  const config = read(key, decodeEdge);
  const version = read(key, (it) => whole(it.version));
  // Of a list only what lies in the cell is read.
  read(pointerKey(edge), (it) => decodeIdentity(edge, it));
  const capacityMax = read(cellPoolKey(cell), decodeCellPool) ?? undefined;
  const factsAtMs = read(edgeFactsKey(edge), (it) => time(it.atMs)) ?? 0;
  const seenAtMs = read(seenKey(cell, edge), (it) => time(it.atMs));
  const stored = {
    name: edge,
    cell,
    facts: read(factsKey(cell, edge), decodeFacts),
    report: polledAt(read(reportKey(cell, edge), decodeReport), seenAtMs ?? 0),
    work: read(workKey(cell, edge), decodeWorkRow),
    allFacts: read(edgeFactsKey(edge), (it) => json(it.facts, isRecord, {})) ?? {},
    cluster: read(clusterKey(edge), (it) => decodeCluster(edge, it)),
    config: config ?? unreadableConfig(row.sk),
    version: version ?? 0,
    ...(factsAtMs > 0 && { factsAtMs }),
    ...(capacityMax !== undefined && { capacityMax }),
  };
  if (unreadable === undefined) return stored;
  const settingsUnknown = config === null || version === null;
  return { ...stored, unreadable, ...(settingsUnknown && { settingsUnknown }) };
}
