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
import { type EdgeName, edgeNameOf, type JobId, jobIdOf } from '../../../core/model/names.ts';
import { cellRows } from '../schema.ts';
import type { Row } from '../table.ts';
import { decodeMeta, decodeQueue, decodeTick } from './rows-cell.ts';
import { decodeEdge, decodeFacts, decodeReport } from './rows-edge.ts';
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
      config,
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
  return { meta: parts.meta, edges, jobs, queues: parts.queues, tickAtMs: parts.tickAtMs };
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
      parts.configs.set(edgeNameOf(name), decodeEdge(row));
      return;
    case cellRows.facts:
      parts.facts.set(edgeNameOf(name), decodeFacts(row));
      return;
    case cellRows.report:
      parts.reports.set(edgeNameOf(name), decodeReport(row));
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
    default:
      throw new Error(`nothing knows how to read the row ${row.pk} ${row.sk}`);
  }
}

function addIntent(parts: Parts, job: JobId, row: Row): void {
  parts.intents.set(job, decodeIntent(row));
  const initial = initialSlice(row);
  if (initial !== null) parts.initialSlices.set(job, initial);
}
