import { cellPartition } from '../../adapters/dynamodb/keys.ts';
import { cellRows, partitions } from '../../adapters/dynamodb/schema.ts';
import type { Row } from '../../adapters/dynamodb/table.ts';
import type { CellId, EdgeName } from '../../core/model/names.ts';
import { isRecord } from '../../core/protocol/json.ts';
import type { ProgressReportJson } from '../../core/protocol/progress-report.ts';
import type { ShadowMessage } from '../../local/services/iot/shadow/service.ts';
import { type Bug, workDocument } from './bugs/bugs.ts';
import type { Faults } from './faults.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { RowChange, SimulatedTable } from './table/simulated-table.ts';

/**
 * Other versions beside this one, for as long as an upgrade takes: agents of an earlier minor
 * version and of a later one, and functions that write rows as those do.
 * `docs/compatibility.md` says what they may differ in.
 */
export type Versions = {
  /** A document as it reaches the agent of this edge, or means something to it. */
  arriving(edge: EdgeName, message: ShadowMessage): ShadowMessage;
  /** A report as the agent of this edge writes it. */
  leaving(edge: EdgeName, report: ProgressReportJson): ProgressReportJson;
  /** A row as it is written, by whichever version. */
  readonly row: RowChange;
  /** A later version writes a row of a kind that this one does not know. */
  writeUnknownRow(table: SimulatedTable): void;
};

type Agent = 'earlier' | 'same' | 'later';

/** What the first version did not write, and what this one can do without for a while. */
const newerAttributes: Readonly<Record<string, readonly string[]>> = {
  [cellRows.intent]: ['by'],
  [cellRows.work]: ['foreign'],
};

export function createVersions(random: SeededRandom, faults: () => Faults): Versions {
  const agents = new Map<EdgeName, Agent>();
  const agentOf = (edge: EdgeName): Agent => {
    const known = agents.get(edge) ?? drawAgent(random, faults().otherVersions);
    agents.set(edge, known);
    return known;
  };
  let unknownRows = 0;
  return {
    arriving(edge, message) {
      const agent = agentOf(edge);
      if (agent === 'same' || workDocument(message) === null) return message;
      const copy = structuredClone(message);
      const document = workDocument(copy)!;
      if (agent === 'earlier') dropNewer(document);
      else addUnknown(document, document.w);
      return copy;
    },
    leaving(edge, report) {
      const agent = agentOf(edge);
      if (agent === 'same') return report;
      const copy = structuredClone(report);
      if (agent === 'later') addUnknown(copy, copy.w);
      else delete copy.z;
      return copy;
    },
    row(row) {
      if (!row.pk.startsWith(partitions.cell)) return row;
      const writer = drawAgent(random, faults().otherVersions);
      if (writer === 'later') return { ...row, unknown: 'of a later version' };
      const newer = Object.entries(newerAttributes).find(([kind]) => row.sk.startsWith(kind));
      if (writer === 'same' || newer === undefined) return row;
      const kept = Object.entries(row).filter(([name]) => !newer[1].includes(name));
      return withoutSlices(Object.fromEntries(kept) as typeof row);
    },
    writeUnknownRow(table) {
      const pks = [partitions.cell, partitions.job].flatMap((it) => table.partitionsOf(it));
      const sk = `${unknownKind}${++unknownRows}`;
      const row = { pk: random.pick(pks), sk, what: '{"of":"a later version"}' };
      table.write({ kind: 'put', row });
    },
  };
}

/** Slices had rows of their own; what of one lay in a lease is gone when that is written again. */
function withoutSlices(row: Row): Row {
  if (typeof row.leases !== 'string') return row;
  const leases = Object.entries(JSON.parse(row.leases) as Record<string, { k?: unknown }>);
  const kept = leases.map(([job, { k: _, ...lease }]) => [job, lease]);
  return { ...row, leases: JSON.stringify(Object.fromEntries(kept)) };
}

export function hasUnknownRows(table: SimulatedTable, cell: CellId): boolean {
  return [...table.partition(cellPartition(cell)).keys()].some((sk) => sk.startsWith(unknownKind));
}

const unknownKind = 'UNKNOWN#';

function drawAgent(random: SeededRandom, share: number): Agent {
  return random.chance(share) ? random.pick(['earlier', 'later']) : 'same';
}

/** Specs came with no document, and none said that an identity was copied. */
function dropNewer(document: Record<string, unknown>): void {
  delete document.o;
  if (!isRecord(document.w)) return;
  for (const entry of Object.values(document.w)) if (isRecord(entry)) delete entry.j;
}

function addUnknown(document: object, entries: unknown): void {
  const unknown = { [unknownKey]: { since: 'a later version' } };
  Object.assign(document, unknown);
  if (!isRecord(entries)) return;
  for (const entry of Object.values(entries)) if (isRecord(entry)) Object.assign(entry, unknown);
}

const unknownKey = 'later';

export const versionBugs: readonly Bug[] = [
  {
    name: 'unknown-keys-are-refused',
    sentence: 'a document with a key that the agent does not know is no document to it',
    hear: (message) => {
      const document = workDocument(message);
      return document !== null && unknownKey in document ? null : message;
    },
  },
  {
    name: 'work-is-given-with-its-spec',
    sentence: 'the spec of a small job comes with its work, or not at all',
    withholdsSmallSpecs: true,
  },
  {
    name: 'unknown-rows-are-jobs',
    sentence: 'a row of an unknown kind stops the cell that it is in',
    refusesUnknownRows: true,
  },
];
