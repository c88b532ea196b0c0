import type { Cell, CellEdge, CellJob } from '../../core/model/cell.ts';
import { cellIdOf, type JobId } from '../../core/model/names.ts';
import { first, last, rangeOf } from '../../core/model/ranges.ts';
import type { JobProgress } from '../../core/protocol/progress-report.ts';
import { applyPlan } from '../../core/scheduler/apply-plan.ts';
import { violationsOf } from '../../core/scheduler/invariants.ts';
import { reconcile } from '../../core/scheduler/reconcile.ts';
import type { Figures } from '../run.ts';
import { edgeOf, jobOf, openCell } from './measured-cell.ts';
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
  const edges = Array.from({ length: edgesCount }, (_, i) => smallEdge(i));
  const jobs = Array.from({ length: jobsCount }, (_, i) => waitingJob(i, chunks));
  let cell = openCell(cellIdOf('default.0'), edges, jobs);
  for (let plan = reconcile(cell, 0); plan.meta !== null; plan = reconcile(cell, 0)) {
    cell = applyPlan(cell, plan);
  }
  return cell;
}

function smallEdge(index: number): CellEdge {
  return edgeOf(index, 250, { site: `site-${index % 5}` });
}

function waitingJob(index: number, chunks: number): CellJob {
  const ranges = rangeOf(0, chunks);
  const run = { simulate: { seconds: 1 } };
  return jobOf(index, {
    queue: `queue-${index % 4}`,
    run,
    chunks,
    chunkPower: 20 + (index % 50),
    ranges,
  });
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
