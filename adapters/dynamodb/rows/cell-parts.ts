import type {
  CellEdge,
  CellMeta,
  EdgeConfig,
  EdgeFacts,
  EdgeReport,
  EdgeWork,
  Intent,
  QueueConfig,
  Slice,
} from '../../../core/model/cell.ts';
import { edgePowerDefault } from '../../../core/model/limits.ts';
import {
  type EdgeName,
  isName,
  type JobId,
  parseEdgeName,
  parseJobId,
} from '../../../core/model/names.ts';
import type { ShelfGroup } from '../../../core/shelf/shelf.ts';
import { recalledAttribute } from '../fleet/shelf-writes.ts';
import { executionKey, type Key, specKey } from '../keys.ts';
import { cellRows } from '../schema.ts';
import type { Row } from '../table.ts';
import { text, time } from './row-values.ts';
import {
  decodeCellPool,
  decodeMeta,
  decodeQueue,
  decodeTick,
  unreadableQueue,
} from './rows-cell.ts';
import { decodeEdge, decodeFacts, decodeReport, unreadableConfig } from './rows-edge.ts';
import { decodeShelfGroup } from './rows-shelf.ts';
import {
  decodeIntent,
  decodeSlice,
  initialSlice,
  type KnownTexts,
  newKnownTexts,
} from './rows-slice.ts';
import { decodeWorkRow } from './rows-work.ts';
import { readable } from './unreadable-row.ts';

/**
 * The rows of one partition, each read on its own. A row that cannot be read is noted with what it
 * is about, and with how much it matters:
 *
 * - `EDGE#`, `FACTS#`, the progress in `REPORT#`: what the edge holds is known, and who connects;
 *   it is given nothing more.
 * - `WORK#`, `SEEN#`, the rest of `REPORT#`: it is not known what the edge holds, or whether it is
 *   there.
 * - `ASK#`, `SHARE#`: nothing can be decided about the job.
 * - `QUEUE#`: nothing of the queue may start.
 * - `POOL`, `TICK`: what they say is not known, and nobody stands still for it.
 *
 * Kinds of rows that only a later version knows are left to it.
 */
export type CellParts = {
  meta: CellMeta | null;
  tickAtMs: number | null;
  capacityMax: CellEdge['capacityMax'];
  readonly configs: Map<EdgeName, EdgeConfig>;
  readonly facts: Map<EdgeName, EdgeFacts>;
  readonly reports: Map<EdgeName, EdgeReport>;
  /** When an edge last asked for its work over HTTPS. */
  readonly polls: Map<EdgeName, number>;
  readonly works: Map<EdgeName, EdgeWork>;
  readonly intents: Map<JobId, Intent>;
  readonly slices: Map<JobId, Slice>;
  /** Slices that have no row of their own. */
  readonly initialSlices: Map<JobId, Slice>;
  readonly queues: Map<string, QueueConfig>;
  readonly groups: Map<string, ShelfGroup>;
  /** Groups by the digests that rows name them by, and jobs that were brought back, by those. */
  readonly groupNames: Map<string, string>;
  readonly recalled: Map<JobId, string>;
  /** Whatever could not be read, by sort key. */
  readonly unreadable: string[];
  /** Edges that are given nothing more, and those that are left out, with the last such row. */
  readonly closedEdges: Map<EdgeName, string>;
  readonly damagedEdges: Map<EdgeName, string>;
  readonly damagedJobs: Map<JobId, string>;
};

export function collectParts(rows: Iterable<Row>): CellParts {
  const parts: CellParts = {
    meta: null,
    tickAtMs: null,
    capacityMax: undefined,
    configs: new Map(),
    facts: new Map(),
    reports: new Map(),
    polls: new Map(),
    works: new Map(),
    intents: new Map(),
    slices: new Map(),
    initialSlices: new Map(),
    queues: new Map(),
    groups: new Map(),
    groupNames: new Map(),
    recalled: new Map(),
    unreadable: [],
    closedEdges: new Map(),
    damagedEdges: new Map(),
    damagedJobs: new Map(),
  };
  const known = newKnownTexts();
  for (const row of rows) addRow(parts, row, known);
  return parts;
}

function addRow(parts: CellParts, row: Row, known: KnownTexts): void {
  const mark = row.sk.indexOf('#') + 1;
  const kind = mark === 0 ? row.sk : row.sk.slice(0, mark);
  const name = row.sk.slice(mark);
  switch (kind) {
    case cellRows.meta:
      parts.meta = decodeMeta(row);
      if (parts.meta.unreadable !== undefined) parts.unreadable.push(row.sk);
      return;
    case cellRows.tick:
      parts.tickAtMs = orNoted(parts, row, readable(row, decodeTick), null);
      return;
    case cellRows.pool:
      parts.capacityMax = orNoted(parts, row, readable(row, poolOf), { max: undefined }).max;
      return;
    case cellRows.queue:
      if (!isName(name)) parts.unreadable.push(row.sk);
      parts.queues.set(name, orNoted(parts, row, readable(row, decodeQueue), unreadableQueue));
      return;
    case cellRows.shelf: {
      const found = readable(row, decodeShelfGroup);
      if (found === null) parts.unreadable.push(row.sk);
      else {
        parts.groups.set(...found);
        parts.groupNames.set(name, found[0]);
      }
      return;
    }
    case cellRows.edge:
    case cellRows.facts:
    case cellRows.report:
    case cellRows.seen:
    case cellRows.work: {
      const edge = parseEdgeName(name);
      if (edge === null) parts.unreadable.push(row.sk);
      else addEdgeRow(parts, kind, edge, row);
      return;
    }
    case cellRows.intent:
    case cellRows.slice: {
      const job = parseJobId(name);
      if (job === null) parts.unreadable.push(row.sk);
      else addJobRow(parts, kind, job, row, known);
    }
  }
}

function poolOf(row: Row): { max: CellEdge['capacityMax'] } {
  return { max: decodeCellPool(row) };
}

function orNoted<T>(parts: CellParts, row: Row, read: T | null, otherwise: T): T {
  if (read !== null) return read;
  parts.unreadable.push(row.sk);
  return otherwise;
}

function addEdgeRow(parts: CellParts, kind: string, edge: EdgeName, row: Row): void {
  if (kind === cellRows.work) {
    const work = readable(row, decodeWorkRow);
    if (work === null) markDamaged(parts, parts.damagedEdges, edge, row);
    else parts.works.set(edge, work);
  } else if (kind === cellRows.edge) {
    const config = readable(row, decodeEdge);
    if (config === null) markDamaged(parts, parts.closedEdges, edge, row);
    parts.configs.set(edge, config ?? unreadableConfig(row.sk));
  } else if (kind === cellRows.facts) {
    const facts = readable(row, decodeFacts);
    if (facts === null) markDamaged(parts, parts.closedEdges, edge, row);
    parts.facts.set(edge, facts ?? noFacts);
  } else if (kind === cellRows.seen) {
    const atMs = readable(row, (it) => time(it.atMs));
    if (atMs === null) markDamaged(parts, parts.damagedEdges, edge, row);
    else parts.polls.set(edge, atMs);
  } else addReport(parts, edge, row);
}

/** A report may say nothing that makes sense; that the edge is there the broker says. */
function addReport(parts: CellParts, edge: EdgeName, row: Row): void {
  const report = readable(row, decodeReport);
  const presence = report ?? readable({ ...row, prog: null }, decodeReport);
  if (report === null) {
    markDamaged(parts, presence === null ? parts.damagedEdges : parts.closedEdges, edge, row);
  }
  if (presence !== null) parts.reports.set(edge, presence);
}

function addJobRow(parts: CellParts, kind: string, job: JobId, row: Row, known: KnownTexts): void {
  if (kind === cellRows.slice) {
    const slice = readable(row, decodeSlice);
    if (slice === null) markDamaged(parts, parts.damagedJobs, job, row);
    else parts.slices.set(job, slice);
    return;
  }
  const intent = readable(row, (it) => decodeIntent(it, known));
  const recalled = readable(row, (it) => text(it[recalledAttribute]));
  if (recalled) parts.recalled.set(job, recalled);
  const initial = readable(row, (it) => ({ slice: initialSlice(it) }));
  if (initial?.slice) parts.initialSlices.set(job, initial.slice);
  if (intent !== null && initial !== null) parts.intents.set(job, intent);
  else markDamaged(parts, parts.damagedJobs, job, row);
}

function markDamaged<N>(parts: CellParts, marked: Map<N, string>, name: N, row: Row): void {
  parts.unreadable.push(row.sk);
  marked.set(name, row.sk);
}

const noFacts: EdgeFacts = { capacity: { power: edgePowerDefault }, labels: {}, flat: {} };

/** Jobs of the cell, whether or not they can be read. */
export function jobsIn({ intents, damagedJobs }: CellParts): ReadonlySet<JobId> {
  return new Set([...intents.keys(), ...damagedJobs.keys()]);
}

/**
 * Rows outside of the partition that say what a row that cannot be read would have said: what an
 * edge holds of each job is also in the job's executions, which are written with every lease; what
 * a job takes of an edge is also in its spec.
 */
export function keysBeside(parts: CellParts): Key[] {
  const keys: Key[] = [];
  for (const edge of parts.damagedEdges.keys()) {
    if (parts.works.has(edge) || !parts.configs.has(edge)) continue;
    for (const job of jobsIn(parts)) keys.push(executionKey(job, edge));
  }
  for (const job of parts.damagedJobs.keys()) {
    if (!parts.intents.has(job)) keys.push(specKey(job));
  }
  return keys;
}
