import { cellEdgesMax } from '../../../core/model/limits.ts';
import {
  type CellId,
  cellIdOf,
  type EdgeName,
  edgeNameOf,
  jobIdOf,
  poolOfCell,
} from '../../../core/model/names.ts';
import type {
  EdgeEnrolments,
  EdgeIdentities,
  EdgeIdentity,
  EdgeSettings,
  EdgesStore,
  Enrolment,
  StoredEdge,
} from '../../../core/ports/edges.ts';
import { deleteCredential, putEdgeCredential } from '../access/tokens-store.ts';
import {
  cellPartition,
  edgeFactsKey,
  edgeKey,
  factsKey,
  intentKey,
  pointerKey,
  reportKey,
  workKey,
} from '../keys.ts';
import { amount, amountOrNull, json, text, textOrNull } from '../rows/row-values.ts';
import {
  decodeEdge,
  decodeFacts,
  decodeReport,
  edgeAttributes,
  encodeFacts,
} from '../rows/rows-edge.ts';
import { decodeIntent } from '../rows/rows-slice.ts';
import { decodeWorkRow } from '../rows/rows-work.ts';
import { cellRows } from '../schema.ts';
import type { Row, Table, Write } from '../table.ts';
import { transactPatiently } from '../transact-with-retry.ts';
import { countEdge } from './pools-store.ts';

const absent = { expression: 'attribute_not_exists(#pk)' };

/**
 * The POINTER of an edge, which makes its name unique and remembers the identity behind it, and the
 * rows of the edge inside its cell.
 */
export function createEdgesStore(table: Table): EdgesStore {
  return { ...identities(table), ...enrolments(table), ...settings(table) };
}

function identities(table: Table): EdgeIdentities {
  return {
    async identify(edge) {
      const row = await table.get(pointerKey(edge));
      return row === null ? null : decodeIdentity(edge, row);
    },

    async cellsOf(edges) {
      const rows = await table.getMany([...new Set(edges)].map(pointerKey));
      return new Set(rows.map((row) => cellIdOf(text(row.cell))));
    },
  };
}

function enrolments(table: Table): EdgeEnrolments {
  return {
    async enrol(enrolment) {
      const outcome = await transactPatiently(table, rowsOf(enrolment));
      if (outcome.kind === 'committed') return 'enrolled';
      return outcome.failed.includes(0) ? 'taken' : 'full';
    },

    async addCredential(identity, hash) {
      const kept = identity.credentials.slice(-1);
      const dropped = identity.credentials.slice(0, -1);
      const next = { ...identity, credentials: [...kept, hash] };
      await transactPatiently(table, [
        { kind: 'put', row: encodeIdentity(next) },
        putEdgeCredential(hash, identity.edge, identity.cell),
        ...dropped.map(deleteCredential),
      ]);
      return next;
    },

    async renew(seen, next) {
      const ended = seen.credentials.filter((hash) => !next.credentials.includes(hash));
      const condition = {
        expression: '#credentials = :seen',
        values: { seen: seen.credentials.join(' ') },
      };
      const outcome = await transactPatiently(table, [
        { kind: 'put', row: encodeIdentity(next), condition },
        ...next.credentials.map((hash) => putEdgeCredential(hash, next.edge, next.cell)),
        ...ended.map(deleteCredential),
      ]);
      return outcome.kind === 'committed';
    },

    async markRemoving(identity, nowMs) {
      await table.update(
        pointerKey(identity.edge),
        { set: { removingSinceMs: nowMs } },
        { expression: 'attribute_exists(#pk)' },
      );
    },

    async revoke(identity) {
      await transactPatiently(table, identity.credentials.map(deleteCredential));
    },

    async forget(identity) {
      const { edge, cell } = identity;
      const condition = { expression: 'attribute_exists(#pk)' };
      const outcome = await transactPatiently(table, [
        ...identity.credentials.map(deleteCredential),
        ...edgeKeys(cell, edge).map((key): Write => ({ kind: 'delete', key })),
        { kind: 'delete', key: pointerKey(edge), condition },
      ]);
      if (outcome.kind !== 'committed') return;
      await transactPatiently(table, [countEdge(poolOfCell(cell), cell, -1, cellEdgesMax)]);
    },
  };
}

function settings(table: Table): EdgeSettings {
  return {
    async load(cell, edge) {
      const rows = await table.getMany(edgeKeys(cell, edge));
      return assemble(cell, edge, rows);
    },

    async listCell(cell, after, limit) {
      const names = await namesIn(table, cell, after, limit);
      const rows = await table.getMany(names.flatMap((name) => edgeKeys(cell, name)));
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

/** Everything that a new edge has, its place in the cell included. */
function rowsOf({ identity, config, facts, allFacts }: Enrolment): Write[] {
  const { edge, cell } = identity;
  const settings = { ...edgeKey(cell, edge), ...edgeAttributes(config), version: 1 };
  return [
    { kind: 'put', row: encodeIdentity(identity), condition: absent },
    countEdge(poolOfCell(cell), cell, 1, cellEdgesMax),
    { kind: 'put', row: settings },
    { kind: 'put', row: encodeFacts(cell, edge, facts) },
    { kind: 'put', row: { ...edgeFactsKey(edge), facts: JSON.stringify(allFacts) } },
    ...identity.credentials.map((hash) => putEdgeCredential(hash, edge, cell)),
  ];
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

function edgeKeys(cell: CellId, edge: EdgeName) {
  const inCell = [edgeKey, factsKey, reportKey, workKey].map((key) => key(cell, edge));
  return [...inCell, edgeFactsKey(edge)];
}

function assemble(cell: CellId, edge: EdgeName, rows: readonly Row[]): StoredEdge | null {
  const at = (key: { pk: string; sk: string }) =>
    rows.find((row) => row.pk === key.pk && row.sk === key.sk);
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

function encodeIdentity(identity: EdgeIdentity): Row {
  const { edge, credentials, ...attributes } = identity;
  return { ...pointerKey(edge), ...attributes, credentials: credentials.join(' ') };
}

function decodeIdentity(edge: EdgeName, row: Row): EdgeIdentity {
  return {
    edge,
    cell: cellIdOf(text(row.cell)),
    keyHash: textOrNull(row.keyHash),
    certificateId: textOrNull(row.certificateId),
    certificate: textOrNull(row.certificate),
    previousCertificateId: textOrNull(row.previousCertificateId),
    renewedAtMs: amountOrNull(row.renewedAtMs),
    credentials: text(row.credentials).split(' ').filter(Boolean),
    enrolledAtMs: amount(row.enrolledAtMs),
    removingSinceMs: amountOrNull(row.removingSinceMs),
  };
}
