import { cellFactsOf } from '../../../core/model/edge-facts.ts';
import { connectionOrderMs, contactMarkMs } from '../../../core/model/limits.ts';
import { type CellId, cellIdOf } from '../../../core/model/names.ts';
import type { Inventory } from '../../../core/ports/inventory.ts';
import type { EdgeEvent } from '../../../core/protocol/edge-event.ts';
import { encodeProgressReport } from '../../../core/protocol/progress-report.ts';
import {
  edgeFactsKey,
  edgeOfPartition,
  factsKey,
  type Key,
  pointerKey,
  reportKey,
  seenKey,
} from '../keys.ts';
import { text } from '../rows/row-values.ts';
import { factsAttributes } from '../rows/rows-edge.ts';
import { readableRows } from '../rows/unreadable-row.ts';
import { passMark } from '../schema.ts';
import type { Change, Condition, Table } from '../table.ts';

type ProgressEvent = Extract<EdgeEvent, { kind: 'prog' }>;
type FactsEvent = Extract<EdgeEvent, { kind: 'facts' }>;
type PresenceEvent = Extract<EdgeEvent, { kind: 'connected' | 'disconnected' }>;

/**
 * Reports, facts and connections in the table: conditional writes, so that the newest wins whatever
 * the order.
 */
export function createInventory(table: Table): Inventory {
  return {
    async cellsOf(edges) {
      const rows = await table.getMany([...new Set(edges)].map(pointerKey));
      const placed = readableRows(table, rows, ({ pk, cell }) => {
        return text(cell) === '' ? [] : [[edgeOfPartition(pk), cellIdOf(text(cell))] as const];
      });
      return new Map(placed.flat());
    },
    async store(cell, event) {
      const stored = await write(table, cell, event);
      return stored ? 'stored' : 'older';
    },
  };
}

function write(table: Table, cell: CellId, event: EdgeEvent): Promise<boolean> {
  switch (event.kind) {
    case 'prog':
      return writeProgress(table, cell, event);
    case 'facts':
      return writeFacts(table, cell, event);
    case 'connected':
    case 'disconnected':
      return writePresence(table, cell, event);
    case 'contact':
      return writeContact(table, cell, event);
  }
}

/** Not more often than is of use: what is a moment old says the same. */
function writeContact(
  table: Table,
  cell: CellId,
  { edge, atMs }: Extract<EdgeEvent, { kind: 'contact' }>,
): Promise<boolean> {
  return table.update(
    seenKey(cell, edge),
    { set: { atMs } },
    {
      expression: 'attribute_not_exists(#atMs) OR #atMs <= :lately',
      values: { lately: atMs - contactMarkMs },
    },
  );
}

async function writeProgress(table: Table, cell: CellId, event: ProgressEvent): Promise<boolean> {
  const { key, change, condition } = progressWrite(cell, event);
  return table.update(key, change, condition);
}

/** With the mark where it is stored together with the pass over it. */
export function progressWrite(
  cell: CellId,
  event: ProgressEvent,
  mark?: Readonly<Record<string, unknown>>,
): { kind: 'update'; key: Key; change: Change; condition: Condition } {
  const { progress, version } = event;
  const set = {
    ...mark,
    prog: JSON.stringify(encodeProgressReport(progress)),
    boot: progress.boot,
    sequence: progress.sequence ?? undefined,
    receivedAtMs: event.atMs,
    version: version ?? undefined,
    https: version === null ? true : undefined,
  };
  // What an earlier report said is not said by one without it.
  const remove = [
    ...(mark === undefined ? [passMark] : []),
    ...(progress.sequence === null ? ['sequence'] : []),
    ...(version === null ? [] : ['https']),
  ];
  const key = reportKey(cell, event.edge);
  return { kind: 'update', key, change: { set, remove }, condition: newerReport(event) };
}

/**
 * Newer by the version of the shadow, where there is one, and within one run of an agent also by
 * its own sequence: an edge may change between MQTT and HTTPS, and a message of one way may
 * overtake one of the other.
 */
function newerReport(event: ProgressEvent): Condition {
  const clauses: string[] = [];
  const values: Record<string, unknown> = {};
  if (event.version !== null) {
    clauses.push('(attribute_not_exists(#version) OR #version < :version)');
    values.version = event.version;
  }
  if (event.progress.sequence !== null) {
    clauses.push('(attribute_not_exists(#sequence) OR #boot <> :boot OR #sequence < :sequence)');
    values.boot = event.progress.boot;
    values.sequence = event.progress.sequence;
  }
  if (clauses.length === 0) {
    clauses.push('(attribute_not_exists(#receivedAtMs) OR #receivedAtMs < :at)');
    values.at = event.atMs;
  }
  return { expression: clauses.join(' AND '), values };
}

/** In the cell what its passes read, beside it all that the edge said: each by the same order. */
async function writeFacts(table: Table, cell: CellId, event: FactsEvent): Promise<boolean> {
  const { edge, facts, atMs, version } = event;
  const condition: Condition =
    version === null
      ? { expression: 'attribute_not_exists(#atMs) OR #atMs < :at', values: { at: atMs } }
      : {
          expression: 'attribute_not_exists(#version) OR #version < :version',
          values: { version },
        };
  const order = { atMs, version: version ?? undefined };
  const { version: _, ...attributes } = factsAttributes(cellFactsOf(facts), 0);
  const all = { facts: JSON.stringify(facts.facts), ...order };
  const [, stored] = await Promise.all([
    table.update(edgeFactsKey(edge), { set: all }, condition),
    table.update(factsKey(cell, edge), { set: { ...attributes, ...order } }, condition),
  ]);
  return stored;
}

/**
 * The broker counts the connections of a client and starts again after an hour without one; a much
 * later event is newer whatever its count. The end of a connection carries the count of its
 * beginning.
 */
function writePresence(table: Table, cell: CellId, event: PresenceEvent): Promise<boolean> {
  const connected = event.kind === 'connected';
  const newer = connected ? '#connectionVersion < :version' : '#connectionVersion <= :version';
  const first = 'attribute_not_exists(#connectionVersion)';
  return table.update(
    reportKey(cell, event.edge),
    {
      set: { connected, connectionVersion: event.version, connectionAtMs: event.atMs },
      remove: [passMark],
    },
    {
      expression: `${first} OR ${newer} OR #connectionAtMs < :longAgo`,
      values: { version: event.version, longAgo: event.atMs - connectionOrderMs },
    },
  );
}
