import type { Ask, EdgeConfig, EdgeFacts, EdgeReport, EdgeWork } from '../../core/cell.ts';
import { cellEdgesMax } from '../../core/limits.ts';
import { type CellId, type EdgeName, type JobId, poolOfCell } from '../../core/names.ts';
import type { FactValue } from '../../core/wire/facts.ts';
import {
  askKey,
  cellPartition,
  edgeFactsKey,
  edgeKey,
  factsKey,
  pointerKey,
  reportKey,
  rowKinds,
  workKey,
} from './keys.ts';
import { transactPatiently } from './patient-transaction.ts';
import { countEdge } from './pools-store.ts';
import { amount, amountOrNull, json, text, textOrNull } from './row-values.ts';
import { decodeEdge, decodeFacts, decodeReport, edgeAttributes, encodeFacts } from './rows-edge.ts';
import { decodeAsk } from './rows-share.ts';
import { decodeWorkRow } from './rows-work.ts';
import type { Row, Table, Write } from './table.ts';
import { deleteCredential, putEdgeCredential } from './tokens-store.ts';

/**
 * Edges as the API sees them: the POINTER that makes a name unique and remembers the identity
 * behind it, and the rows of the edge inside its cell.
 */
export type EdgeIdentity = {
  readonly edge: EdgeName;
  readonly cell: CellId;
  /** SHA-256 of the public key of its CSR; `null` for an edge without a certificate. */
  readonly keyHash: string | null;
  readonly certificateId: string | null;
  readonly certificate: string | null;
  /** The one before the last renewal, still valid: its edge may not have heard of the new one. */
  readonly previousCertificateId: string | null;
  readonly renewedAtMs: number | null;
  /** Hashes of the secrets that are valid: the newest last, two at most. */
  readonly credentials: readonly string[];
  readonly enrolledAtMs: number;
  /** Set when the edge is to go; the name is free again when its rows are gone. */
  readonly removingSinceMs: number | null;
};

export type StoredEdge = {
  readonly name: EdgeName;
  readonly cell: CellId;
  readonly config: EdgeConfig;
  /** Counts the writes of users. */
  readonly version: number;
  readonly facts: EdgeFacts | null;
  readonly report: EdgeReport | null;
  readonly work: EdgeWork | null;
  /** All it said of itself, as it said it. */
  readonly allFacts: Readonly<Record<string, FactValue>>;
};

export type Enrolment = {
  readonly identity: EdgeIdentity;
  readonly config: EdgeConfig;
  readonly facts: EdgeFacts;
  readonly allFacts: Readonly<Record<string, FactValue>>;
};

export type EdgesStore = ReturnType<typeof createEdgesStore>;

const absent = { expression: 'attribute_not_exists(#pk)' };

export function createEdgesStore(table: Table) {
  return {
    async identify(edge: EdgeName): Promise<EdgeIdentity | null> {
      const row = await table.get(pointerKey(edge));
      return row === null ? null : decodeIdentity(edge, row);
    },

    async cellsOf(edges: readonly EdgeName[]): Promise<ReadonlySet<CellId>> {
      const rows = await table.getMany([...new Set(edges)].map(pointerKey));
      return new Set(rows.map((row) => text(row.cell) as CellId));
    },

    async load(cell: CellId, edge: EdgeName): Promise<StoredEdge | null> {
      const rows = await table.getMany(edgeKeys(cell, edge));
      return assemble(cell, edge, rows);
    },

    /** A page of a cell's edges, by name. */
    async listCell(cell: CellId, after: string | null, limit: number): Promise<StoredEdge[]> {
      const start = after === null ? {} : { after: edgeKey(cell, after as EdgeName) };
      const pk = cellPartition(cell);
      const page = await table.query({
        pk,
        skPrefix: rowKinds.edge,
        consistent: true,
        limit,
        ...start,
      });
      const names = page.rows.map((row) => row.sk.slice(rowKinds.edge.length) as EdgeName);
      const rows = await table.getMany(names.flatMap((name) => edgeKeys(cell, name)));
      return names.flatMap((name) => assemble(cell, name, rows) ?? []);
    },

    async asks(cell: CellId, jobs: readonly JobId[]): Promise<ReadonlyMap<JobId, Ask>> {
      const rows = await table.getMany(jobs.map((job) => askKey(cell, job)));
      return new Map(
        rows.map((row) => [row.sk.slice(rowKinds.ask.length) as JobId, decodeAsk(row)]),
      );
    },

    /** `full`: no room in this cell. `taken`: somebody else has the name now. */
    async enrol(enrolment: Enrolment): Promise<'enrolled' | 'taken' | 'full'> {
      const { identity, config, facts, allFacts } = enrolment;
      const { edge, cell } = identity;
      const writes: Write[] = [
        { kind: 'put', row: encodeIdentity(identity), condition: absent },
        countEdge(poolOfCell(cell), cell, 1, cellEdgesMax),
        {
          kind: 'put',
          row: { ...edgeKey(cell, edge), ...edgeAttributes(config), version: 1 },
        },
        { kind: 'put', row: encodeFacts(cell, edge, facts) },
        { kind: 'put', row: { ...edgeFactsKey(edge), facts: JSON.stringify(allFacts) } },
        ...identity.credentials.map((hash) => putEdgeCredential(hash, edge, cell)),
      ];
      const outcome = await transactPatiently(table, writes);
      if (outcome.kind === 'committed') return 'enrolled';
      return outcome.failed.includes(0) ? 'taken' : 'full';
    },

    /**
     * Gives a known edge one more secret and keeps the one before it, so that a lost answer locks
     * nobody out.
     */
    async addCredential(identity: EdgeIdentity, hash: string): Promise<EdgeIdentity> {
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

    /**
     * Another certificate and other secrets for an edge. `false`: they were changed since `seen`
     * was read.
     */
    async renew(seen: EdgeIdentity, next: EdgeIdentity): Promise<boolean> {
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

    /** `false`: its settings were changed since `seen` was read, or it is gone. */
    configure(cell: CellId, edge: EdgeName, config: EdgeConfig, seen: number): Promise<boolean> {
      return table.update(
        edgeKey(cell, edge),
        { set: { ...edgeAttributes(config), version: seen + 1 } },
        { expression: 'attribute_exists(#pk) AND #version = :seen', values: { seen } },
      );
    },

    async markRemoving(identity: EdgeIdentity, nowMs: number): Promise<void> {
      await table.update(
        pointerKey(identity.edge),
        { set: { removingSinceMs: nowMs } },
        { expression: 'attribute_exists(#pk)' },
      );
    },

    /** Ends its secrets; the name stays taken until it has left its cell. */
    async revoke(identity: EdgeIdentity): Promise<void> {
      await transactPatiently(table, identity.credentials.map(deleteCredential));
    },

    /** The last of an edge: its secrets, its name and whatever rows are left. */
    async forget(identity: EdgeIdentity): Promise<void> {
      const { edge, cell } = identity;
      const rows = [edgeKey, factsKey, reportKey, workKey].map((key) => key(cell, edge));
      const writes: Write[] = [
        ...identity.credentials.map(deleteCredential),
        ...[...rows, edgeFactsKey(edge)].map((key): Write => ({ kind: 'delete', key })),
        {
          kind: 'delete',
          key: pointerKey(edge),
          condition: { expression: 'attribute_exists(#pk)' },
        },
      ];
      const outcome = await transactPatiently(table, writes);
      if (outcome.kind !== 'committed') return;
      await transactPatiently(table, [countEdge(poolOfCell(cell), cell, -1, cellEdgesMax)]);
    },
  };
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
    cell: text(row.cell) as CellId,
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
