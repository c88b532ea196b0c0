import type {
  Cell,
  CellEdge,
  CellJob,
  EdgeConfig,
  EdgeReport,
  Intent,
} from '../../core/model/cell.ts';
import { newCellMeta, newSlice } from '../../core/model/cell.ts';
import { type JobSpec, noChunks } from '../../core/model/job.ts';
import { type CellId, cellIdOf, edgeNameOf, type JobId, jobIdOf } from '../../core/model/names.ts';
import type { JobCellStatus } from '../../core/model/plan.ts';
import { emptyRanges, rangeOf } from '../../core/model/ranges.ts';
import type { ProgressReport } from '../../core/protocol/progress-report.ts';

/** Cells for tests: everything has a default that runs, tests say only what they are about. */

export const startMs = 1_000_000_000_000;

export function makeSpec(over: Partial<JobSpec> = {}): JobSpec {
  return {
    name: null,
    pool: 'default',
    queue: 'default',
    priority: 50,
    power: null,
    chunkPower: 100,
    chunks: 4,
    resources: {},
    run: { simulate: { wattSeconds: 100 } },
    requires: { labels: {}, expressions: [], edges: [] },
    placement: { policy: 'spread', maxEdges: null, nodes: null },
    retries: { attempts: 3, backoffSeconds: 5, maxFailedChunks: null },
    lostAfterSeconds: 120,
    offlineSeconds: null,
    deadlineSeconds: null,
    keepOutput: 'failed',
    dependsOn: [],
    labels: {},
    kind: 'batch',
    ...over,
  };
}

export type JobOptions = Partial<JobSpec> & {
  lastChunkPower?: number;
  intent?: Partial<Intent>;
  slice?: Partial<CellJob['slice']>;
};

export function makeJob(id: string, options: JobOptions = {}): CellJob {
  const { lastChunkPower, intent, slice, ...over } = options;
  const spec = makeSpec(over);
  const chunkPower = spec.chunkPower ?? 1;
  return {
    id: jobIdOf(id),
    intent: {
      spec,
      specHash: `hash-${id}`,
      chunking: { chunks: spec.chunks, chunkPower, lastChunkPower: lastChunkPower ?? chunkPower },
      submittedAtMs: startMs,
      createdBy: 'someone',
      cancelled: false,
      retryEpoch: 0,
      blockedByDependencies: false,
      foldedByCell: false,
      ...intent,
    },
    slice: { ...newSlice(rangeOf(0, spec.chunks)), ...slice },
  };
}

export const plainConfig: EdgeConfig = {
  labels: {},
  capacity: {},
  cordoned: null,
  drain: null,
  removing: null,
};

export type EdgeOptions = {
  power?: number;
  resources?: Record<string, number>;
  labels?: Record<string, string>;
  flat?: Record<string, string | number | boolean>;
  connected?: boolean;
  config?: Partial<EdgeConfig>;
  report?: EdgeReport | null;
  work?: CellEdge['work'];
};

export function makeReport(over: Partial<EdgeReport> = {}): EdgeReport {
  return {
    progress: null,
    version: 0,
    receivedAtMs: startMs,
    connected: true,
    connectionVersion: 0,
    connectionAtMs: startMs,
    ...over,
  };
}

export function makeEdge(name: string, options: EdgeOptions = {}): CellEdge {
  return {
    name: edgeNameOf(name),
    config: { ...plainConfig, ...options.config },
    facts: {
      capacity: { power: options.power ?? 250, ...options.resources },
      labels: options.labels ?? {},
      flat: options.flat ?? {},
    },
    report:
      options.report === undefined
        ? makeReport({ connected: options.connected ?? true })
        : options.report,
    work: options.work ?? null,
  };
}

/** What a cell counted of a job of which nothing has begun. */
export function makeCellStatus(job: JobId, over: Partial<JobCellStatus> = {}): JobCellStatus {
  return {
    job,
    counts: noChunks,
    donePower: 0,
    done: emptyRanges,
    dead: emptyRanges,
    cancelled: emptyRanges,
    waiting: [],
    startedAtMs: null,
    endedAtMs: null,
    reason: null,
    retryEpoch: 0,
    attemptsUsed: 0,
    foldedByCell: false,
    ...over,
  };
}

export function makeEdges(count: number, options: EdgeOptions = {}): CellEdge[] {
  return Array.from({ length: count }, (_, i) => makeEdge(`edge-${i}`, options));
}

export function makeCell(
  parts: { edges?: CellEdge[]; jobs?: CellJob[]; queues?: Cell['queues'] } = {},
): Cell {
  return {
    meta: newCellMeta(cellIdOf('default.0'), 'default', startMs),
    edges: new Map((parts.edges ?? []).map((edge) => [edge.name, edge])),
    jobs: new Map((parts.jobs ?? []).map((job) => [job.id, job])),
    queues: parts.queues ?? new Map(),
    tickAtMs: null,
  };
}

/** The same under another id. */
export function withId(cell: Cell, id: CellId): Cell {
  return { ...cell, meta: { ...cell.meta, id } };
}

/** The cell with one edge changed. */
export function withEdge(cell: Cell, name: string, change: Partial<CellEdge>): Cell {
  const edge = cell.edges.get(edgeNameOf(name));
  if (edge === undefined) throw new Error(`no edge ${name}`);
  return { ...cell, edges: new Map(cell.edges).set(edge.name, { ...edge, ...change }) };
}

/** The cell after this edge reported. */
export function withProgress(
  cell: Cell,
  name: string,
  progress: ProgressReport,
  atMs = startMs,
): Cell {
  const before = cell.edges.get(edgeNameOf(name))?.report ?? makeReport();
  const report = { ...before, progress, version: before.version + 1, receivedAtMs: atMs };
  return withEdge(cell, name, { report });
}

export function withIntent(cell: Cell, id: string, change: Partial<Intent>): Cell {
  const job = cell.jobs.get(jobIdOf(id));
  if (job === undefined) throw new Error(`no job ${id}`);
  const changed = { ...job, intent: { ...job.intent, ...change } };
  return { ...cell, jobs: new Map(cell.jobs).set(job.id, changed) };
}
