import type {
  Cell,
  CellEdge,
  CellJob,
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
import { type EdgeName, edgeNameOf, type JobId, jobIdOf } from '../../../core/model/names.ts';
import { cellRows } from '../schema.ts';
import type { Row } from '../table.ts';
import { decodeMeta, decodeQueue, decodeTick } from './rows-cell.ts';
import { decodeEdge, decodeFacts, decodeReport, unreadableConfig } from './rows-edge.ts';
import { decodeIntent, decodeSlice, initialSlice } from './rows-slice.ts';
import { decodeWorkRow } from './rows-work.ts';

/**
 * Puts the rows of one partition together into a cell; `null` without a META row.
 *
 * Rows come in any order. A report or facts of an edge that is no longer in the cell are left out,
 * as is a slice whose intent is gone: the row that makes an edge a member is `EDGE#`, the row that
 * makes a job one is `ASK#`.
 */
export function assembleCell(rows: Iterable<Row>): Cell | null {
  const parts = collect(rows);
  if (parts.meta === null) return null;
  const edges = new Map<EdgeName, CellEdge>();
  for (const [name, config] of parts.configs) {
    edges.set(name, {
      name,
      config: asideFor(parts.unreadableOf.get(name)) ?? config,
      facts: parts.facts.get(name) ?? null,
      report: parts.reports.get(name) ?? null,
      work: parts.works.get(name) ?? null,
    });
  }
  const jobs = new Map<JobId, CellJob>();
  for (const [id, intent] of parts.intents) {
    const slice = parts.slices.get(id) ?? parts.initialSlices.get(id);
    if (slice !== undefined) jobs.set(id, { id, intent, slice });
  }
  const { meta, queues, tickAtMs } = parts;
  const unreadable = [...parts.unreadableOf.values()];
  return { meta, edges, jobs, queues, tickAtMs, ...(unreadable.length > 0 && { unreadable }) };
}

type Parts = {
  meta: CellMeta | null;
  tickAtMs: number | null;
  readonly configs: Map<EdgeName, EdgeConfig>;
  readonly facts: Map<EdgeName, EdgeFacts>;
  readonly reports: Map<EdgeName, EdgeReport>;
  readonly works: Map<EdgeName, EdgeWork>;
  readonly intents: Map<JobId, Intent>;
  readonly slices: Map<JobId, Slice>;
  /** Slices that no pass has written yet. */
  readonly initialSlices: Map<JobId, Slice>;
  readonly queues: Map<string, QueueConfig>;
  /** Rows of edges that make no sense, by edge: the last of each. */
  readonly unreadableOf: Map<EdgeName, string>;
};

function collect(rows: Iterable<Row>): Parts {
  const parts: Parts = {
    meta: null,
    tickAtMs: null,
    configs: new Map(),
    facts: new Map(),
    reports: new Map(),
    works: new Map(),
    intents: new Map(),
    slices: new Map(),
    initialSlices: new Map(),
    queues: new Map(),
    unreadableOf: new Map(),
  };
  for (const row of rows) addRow(parts, row);
  return parts;
}

function addRow(parts: Parts, row: Row): void {
  const mark = row.sk.indexOf('#') + 1;
  const kind = mark === 0 ? row.sk : row.sk.slice(0, mark);
  const name = row.sk.slice(mark);
  switch (kind) {
    case cellRows.meta:
      parts.meta = decodeMeta(row);
      return;
    case cellRows.tick:
      parts.tickAtMs = decodeTick(row);
      return;
    case cellRows.edge:
      parts.configs.set(edgeNameOf(name), readOr(parts, name, row, decodeEdge, setAside));
      return;
    case cellRows.facts:
      parts.facts.set(edgeNameOf(name), readOr(parts, name, row, decodeFacts, noFacts));
      return;
    case cellRows.report:
      parts.reports.set(edgeNameOf(name), readOr(parts, name, row, decodeReport, decodePresence));
      return;
    case cellRows.work:
      parts.works.set(edgeNameOf(name), decodeWorkRow(row));
      return;
    case cellRows.intent:
      addIntent(parts, jobIdOf(name), row);
      return;
    case cellRows.slice:
      parts.slices.set(jobIdOf(name), decodeSlice(row));
      return;
    case cellRows.queue:
      parts.queues.set(name, decodeQueue(row));
      return;
    // A later version wrote it, and is the one that knows what it is for.
    default:
  }
}

function addIntent(parts: Parts, job: JobId, row: Row): void {
  parts.intents.set(job, decodeIntent(row));
  const initial = initialSlice(row);
  if (initial !== null) parts.initialSlices.set(job, initial);
}

/** What an edge says of itself, or its users of it, cannot be read: it alone stands still. */
function readOr<T>(
  parts: Parts,
  edge: string,
  row: Row,
  decode: (row: Row) => T,
  otherwise: (row: Row) => T,
): T {
  try {
    return decode(row);
  } catch {
    parts.unreadableOf.set(edgeNameOf(edge), row.sk);
    return otherwise(row);
  }
}

/** Nothing new for the edge, and nothing is taken from it, until its row can be read again. */
function asideFor(unreadable: string | undefined): EdgeConfig | null {
  return unreadable === undefined ? null : unreadableConfig(unreadable);
}

function setAside(row: Row): EdgeConfig {
  return unreadableConfig(row.sk);
}

function noFacts(): EdgeFacts {
  return { capacity: { power: edgePowerDefault }, labels: {}, flat: {} };
}

/** The report says nothing that makes sense; that the edge is there the broker says. */
function decodePresence(row: Row): EdgeReport {
  return decodeReport({ ...row, prog: null });
}
