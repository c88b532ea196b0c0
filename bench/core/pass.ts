import {
  type Cell,
  type CellEdge,
  type CellJob,
  newCellMeta,
  newSlice,
} from '../../core/model/cell.ts';
import {
  cellIdOf,
  type EdgeName,
  edgeNameOf,
  type JobId,
  jobIdOf,
} from '../../core/model/names.ts';
import { first, last, rangeOf } from '../../core/model/ranges.ts';
import type { JobProgress } from '../../core/protocol/progress-report.ts';
import { applyPlan } from '../../core/scheduler/apply-plan.ts';
import { violationsOf } from '../../core/scheduler/invariants.ts';
import { reconcile } from '../../core/scheduler/reconcile.ts';
import type { Figures } from '../run.ts';
import { medianOf } from './timing.ts';

/**
 * One pass over a full cell: 250 edges, a thousand jobs waiting, fifty reports to apply. The time
 * must not grow with the chunks of a job, nor with how many other cells there are, which a pass
 * never sees.
 */
const edgesCount = 250;
const jobsCount = 1_000;
const reportsCount = 50;

export function measurePass(): readonly Figures[] {
  const small = timeOf(1_000);
  const large = timeOf(1_000_000);
  return [
    { figure: 'pass over a full cell, 10^3 chunks a job', ms: small, goal: 5 },
    { figure: 'pass over a full cell, 10^6 chunks a job', ms: large, goal: 5 },
    { figure: 'pass, 10^6 against 10^3 chunks a job', ratio: large / small, goal: 1.2 },
    { figure: 'check of its plan, part of a pass', ratio: checkTime() / small, goal: 0.03 },
  ];
}

function timeOf(chunks: number): number {
  const cell = withReports(full(chunks));
  const { ms, result } = medianOf(() => reconcile(cell, 1_000), 101, 200);
  if (result.executions.length < reportsCount / 2) throw new Error('the reports were not applied');
  return ms;
}

function checkTime(): number {
  const cell = withReports(full(1_000));
  const plan = reconcile(cell, 1_000);
  const { ms, result } = medianOf(() => violationsOf(cell, plan), 1_001, 2_000);
  if (result.length > 0) throw new Error(result[0]!.sentence);
  return ms;
}

/** All power reserved, most jobs without any. */
function full(chunks: number): Cell {
  const edges = new Map<EdgeName, CellEdge>();
  for (let i = 0; i < edgesCount; i++) edges.set(edgeNameOf(`edge-${i}`), edgeOf(i));
  const jobs = new Map<JobId, CellJob>();
  for (let i = 0; i < jobsCount; i++) {
    const job = jobOf(i, chunks);
    jobs.set(job.id, job);
  }
  let cell: Cell = {
    meta: newCellMeta(cellIdOf('default.0'), 'default', 0),
    edges,
    jobs,
    queues: new Map(),
    tickAtMs: null,
  };
  for (let plan = reconcile(cell, 0); plan.meta !== null; plan = reconcile(cell, 0)) {
    cell = applyPlan(cell, plan);
  }
  return cell;
}

function edgeOf(index: number): CellEdge {
  return {
    name: edgeNameOf(`edge-${index}`),
    config: { labels: {}, capacity: {}, cordoned: null, drain: null, removing: null },
    facts: { capacity: { power: 250 }, labels: { site: `site-${index % 5}` }, flat: {} },
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

function jobOf(index: number, chunks: number): CellJob {
  const chunkPower = 20 + (index % 50);
  return {
    id: jobIdOf(`job${String(index).padStart(13, '0')}`),
    intent: {
      spec: {
        queue: `queue-${index % 4}`,
        priority: 50,
        resources: {},
        run: { simulate: { seconds: 1 } },
        requires: { labels: {}, expressions: [], edges: [] },
        placement: { policy: 'spread', maxEdges: null, nodes: null },
        retries: { attempts: 3, backoffSeconds: 5, maxFailedChunks: null },
        lostAfterSeconds: 120,
        deadlineSeconds: null,
      },
      specHash: '0123456789abcdef',
      chunking: { chunks, chunkPower, lastChunkPower: chunkPower },
      submittedAtMs: index,
      cancelled: false,
      retryEpoch: 0,
      blockedByDependencies: false,
    },
    slice: newSlice(rangeOf(0, chunks)),
  };
}

/** Fifty edges have finished one chunk of each lease and run the others. */
function withReports(cell: Cell): Cell {
  const edges = new Map(cell.edges);
  for (const edge of [...edges.values()].slice(0, reportsCount)) {
    const jobs = new Map<JobId, JobProgress>();
    for (const [id, lease] of edge.work!.leases) {
      const start = first(lease.ranges)!;
      jobs.set(id, {
        done: rangeOf(start, start + 1),
        failed: new Map(),
        running: rangeOf(start + 1, last(lease.ranges)! + 1),
        attempts: new Map(),
        chunkMs: 200,
        refused: null,
      });
    }
    const { epoch } = edge.work!;
    const progress = { boot: 'b', epoch, sequence: 1, freePower: 0, jobs };
    edges.set(edge.name, { ...edge, report: { ...edge.report!, progress, receivedAtMs: 900 } });
  }
  return { ...cell, edges };
}
