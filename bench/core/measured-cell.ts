import {
  type Cell,
  type CellEdge,
  type CellJob,
  type EdgeFacts,
  newCellMeta,
  newSlice,
} from '../../core/model/cell.ts';
import type { Run } from '../../core/model/job.ts';
import { type CellId, edgeNameOf, jobIdOf } from '../../core/model/names.ts';
import type { RangeSet } from '../../core/model/ranges.ts';

/** Cells to be measured: connected edges that have nothing, and jobs of which nothing has begun. */

export function openCell(id: CellId, edges: readonly CellEdge[], jobs: readonly CellJob[]): Cell {
  return {
    meta: newCellMeta(id, 'default', 0),
    edges: new Map(edges.map((edge) => [edge.name, edge])),
    jobs: new Map(jobs.map((job) => [job.id, job])),
    queues: new Map(),
    tickAtMs: null,
  };
}

type Labels = Readonly<Record<string, string>>;

export function edgeOf(index: number, power: number, labels: Labels = {}): CellEdge {
  return edgeWith(index, { capacity: { power }, labels, flat: {} });
}

/** Equal edges, of a cell or of thousands, at one power. */
export function equalEdges(edges: number, power: number): readonly CellEdge[] {
  return Array.from({ length: edges }, (_, index) => edgeOf(index, power));
}

export function edgeWith(index: number, facts: EdgeFacts): CellEdge {
  return {
    name: edgeNameOf(`edge-${index}`),
    config: { labels: {}, capacity: {}, cordoned: null, drain: null, removing: null },
    facts,
    report: {
      progress: null,
      version: 0,
      receivedAtMs: 0,
      connected: true,
      connectionVersion: 0,
      connectionAtMs: 0,
    },
    work: null,
  };
}

export type MeasuredJob = {
  readonly queue: string;
  readonly run: Run;
  readonly chunks: number;
  readonly chunkPower: number;
  /** Those of its chunks that are this cell's. */
  readonly ranges: RangeSet;
  /** What one of its chunks takes besides power; nothing. */
  readonly resources?: Readonly<Record<string, number>>;
  /** Labels that its edges must have; none. */
  readonly labels?: Labels;
  /** Values of the label `hardware` of which they must have one; any. */
  readonly hardware?: readonly string[];
};

export function jobOf(
  index: number,
  { queue, run, chunks, chunkPower, ranges, resources = {}, labels = {}, hardware }: MeasuredJob,
): CellJob {
  const expressions =
    hardware === undefined ? [] : [{ key: 'hardware', op: 'in' as const, value: hardware }];
  return {
    id: jobIdOf(`job${String(index).padStart(13, '0')}`),
    intent: {
      spec: {
        queue,
        priority: 50,
        resources,
        run,
        requires: { labels, expressions, edges: [] },
        placement: { policy: 'spread', maxEdges: null, nodes: null },
        retries: { attempts: 3, backoffSeconds: 5, maxFailedChunks: null },
        lostAfterSeconds: 120,
        deadlineSeconds: null,
        name: null,
        keepOutput: 'failed',
        offlineSeconds: null,
      },
      specHash: '0123456789abcdef',
      chunking: { chunks, chunkPower, lastChunkPower: chunkPower },
      submittedAtMs: index,
      createdBy: 'bench',
      cancelled: false,
      retryEpoch: 0,
      blockedByDependencies: false,
      foldedByCell: false,
    },
    slice: newSlice(ranges),
  };
}
