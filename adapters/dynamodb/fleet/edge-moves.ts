import { cellEdgesMax } from '../../../core/model/limits.ts';
import { poolOfCell } from '../../../core/model/names.ts';
import type { EdgeMove, EdgeMoves } from '../../../core/ports/edges.ts';
import { putEdgeCredential } from '../access/tokens-store.ts';
import {
  cellPartition,
  edgeKey,
  factsKey,
  type Key,
  metaKey,
  reportKey,
  seenKey,
  workKey,
} from '../keys.ts';
import { whole } from '../rows/row-values.ts';
import { encodeTick } from '../rows/rows-cell.ts';
import { edgeAttributes } from '../rows/rows-edge.ts';
import { encodeCredentials, encodeIdentity } from '../rows/rows-identity.ts';
import { encodeWorkRow } from '../rows/rows-work.ts';
import { passMark } from '../schema.ts';
import type { Condition, Row, Table, Write } from '../table.ts';
import { transactWithRetry } from '../transact-with-retry.ts';
import { createEdgeSettings } from './edge-settings.ts';
import { countEdge } from './pools-store.ts';

/**
 * All rows of an edge in one cell become rows in another, in one transaction with the version of
 * the cell that it leaves: a pass that was decided with the edge in it is not committed after that.
 */
export function createEdgeMoves(table: Table): EdgeMoves {
  const { load } = createEdgeSettings(table);
  return {
    async inCell(cell, edge) {
      // Before its rows: what a pass writes in between makes this version an old one.
      const meta = await table.get(metaKey(cell));
      const found = await load(cell, edge);
      if (meta === null || found === null) return null;
      return { edge: found, cellVersion: whole(meta.version) };
    },
    async move(move) {
      const { edge, cell } = move.identity;
      const rows = await table.getMany([factsKey, reportKey, seenKey].map((it) => it(cell, edge)));
      const outcome = await transactWithRetry(table, moveWrites(move, rows));
      if (outcome.kind === 'committed') return 'moved';
      return outcome.failed.length === 1 && outcome.failed[0] === 0 ? 'full' : 'changed';
    },
  };
}

/** The room first, by whose condition a full cell is known. */
function moveWrites(move: EdgeMove, rows: readonly Row[]): Write[] {
  const { identity, to, seen, nowMs } = move;
  const { edge, cell, credentials } = identity;
  return [
    countEdge(poolOfCell(to), to, 1, cellEdgesMax),
    countEdge(poolOfCell(cell), cell, -1, cellEdgesMax),
    {
      kind: 'update',
      key: metaKey(cell),
      change: { add: { version: 1 } },
      condition: { expression: '#version = :seen', values: { seen: seen.cellVersion } },
    },
    {
      kind: 'put',
      row: encodeIdentity({ ...identity, cell: to }),
      condition: {
        expression: '#credentials = :credentials AND #cell = :cell AND #removingSinceMs = :none',
        values: { credentials: encodeCredentials(credentials), cell, none: null },
      },
    },
    ...credentials.map((hash) => putEdgeCredential(hash, edge, to)),
    ...settingsWrites(move),
    ...[factsKey, reportKey, seenKey].flatMap((key) =>
      carried(
        key(cell, edge),
        rows.find(({ sk }) => sk === key(cell, edge).sk),
        move,
      ),
    ),
    { kind: 'put', row: encodeTick(cell, nowMs) },
  ];
}

function settingsWrites({ identity, to, seen, config, work }: EdgeMove): Write[] {
  const { edge, cell } = identity;
  const { version } = seen.edge;
  return [
    {
      kind: 'delete',
      key: edgeKey(cell, edge),
      condition: { expression: '#version = :version', values: { version } },
    },
    {
      kind: 'put',
      row: { ...edgeKey(to, edge), ...edgeAttributes(config), version: version + 1 },
    },
    { kind: 'delete', key: workKey(cell, edge) },
    work === null
      ? { kind: 'delete', key: workKey(to, edge) }
      : { kind: 'put', row: encodeWorkRow(to, edge, work) },
  ];
}

/** As it was read, or nothing is moved; what lay there from an earlier stay goes. */
function carried(from: Key, row: Row | undefined, { to }: EdgeMove): Write[] {
  const there = { pk: cellPartition(to), sk: from.sk };
  const asRead: Write = { kind: 'delete', key: from, condition: unchanged(row) };
  if (row === undefined) return [asRead, { kind: 'delete', key: there }];
  const { [passMark]: _passed, ...attributes } = row;
  return [asRead, { kind: 'put', row: { ...attributes, ...there } }];
}

/** What orders the writes of such a row is in one of these. */
const orders = ['version', 'sequence', 'boot', 'receivedAtMs', 'connectionAtMs', 'atMs'] as const;

function unchanged(row: Row | undefined): Condition {
  if (row === undefined) return { expression: 'attribute_not_exists(#pk)' };
  const there = orders.filter((name) => row[name] !== undefined);
  const absent = orders.filter((name) => row[name] === undefined);
  return {
    expression: [
      ...there.map((name) => `#${name} = :${name}`),
      ...absent.map((name) => `attribute_not_exists(#${name})`),
    ].join(' AND '),
    values: Object.fromEntries(there.map((name) => [name, row[name]])),
  };
}
