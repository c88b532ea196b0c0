import type { Cell, CellEdge, CellJob } from '../../core/model/cell.ts';
import { cellEdgesMax } from '../../core/model/limits.ts';
import { cellIdOf, type JobId } from '../../core/model/names.ts';
import { rangeOf } from '../../core/model/ranges.ts';
import type { JobProgress } from '../../core/protocol/progress-report.ts';
import { applyPlan } from '../../core/scheduler/apply-plan.ts';
import { rowsOf } from '../../core/scheduler/invariants.ts';
import { reconcile } from '../../core/scheduler/reconcile.ts';
import type { Figures } from '../run.ts';
import { edgeOf, jobOf, openCell } from './measured-cell.ts';
import { medianOf } from './timing.ts';

/**
 * A full cell that keeps a thousand services of three instances running: what a pass takes while
 * nothing happens, which is nearly always, and while an instance of each edge has just ended.
 */
const servicesCount = 1_000;
const instances = 3;
const chunkPower = 10;

export function measureServices(): readonly Figures[] {
  const quiet = standing();
  const ended = reported(quiet, 70_000, new Map([[0, 1]]));
  const idle = medianOf(() => reconcile(reported(quiet, 60_000), 60_000), 101, 50);
  const busy = medianOf(() => reconcile(ended, 70_000), 101, 50);
  const starts = busy.result.chunkEnds.length;
  if (starts === 0) throw new Error('no end was counted');
  return [
    { figure: 'pass over a thousand services that stand still', ms: idle.ms, goal: 20 },
    { figure: 'rows that it writes', count: rowsOf(idle.result), goal: 0 },
    { figure: 'pass over them when instances have ended', ms: busy.ms, goal: 20 },
    { figure: 'rows that it writes, for each end', ratio: rowsOf(busy.result) / starts },
  ];
}

/** All instances run and are ready, and edges have said so. */
function standing(): Cell {
  const edges = Array.from({ length: cellEdgesMax }, (_, at) => servingEdge(at));
  const jobs = Array.from({ length: servicesCount }, (_, at) => serviceOf(at));
  const cell = settled(openCell(cellIdOf('default.0'), edges, jobs), 0);
  return settled(reported(cell, 1_000), 1_000);
}

function settled(cell: Cell, nowMs: number): Cell {
  let at = cell;
  for (let plan = reconcile(at, nowMs); plan.meta !== null; plan = reconcile(at, nowMs)) {
    at = applyPlan(at, plan);
  }
  return at;
}

function servingEdge(index: number): CellEdge {
  const edge = edgeOf(
    index,
    Math.ceil((servicesCount * instances) / cellEdgesMax) * chunkPower * 2,
  );
  return { ...edge, facts: { ...edge.facts!, flat: { services: true } } };
}

function serviceOf(index: number): CellJob {
  const ranges = rangeOf(0, instances);
  const run = { simulate: {} };
  const job = jobOf(index, { queue: 'default', run, chunks: instances, chunkPower, ranges });
  const spec = {
    ...job.intent.spec,
    restart: {
      policy: 'always' as const,
      backoffSeconds: 1,
      backoffSecondsMax: 300,
      resetAfterSeconds: 600,
    },
    ready: { afterSeconds: 1 },
    stopGraceSeconds: 10,
    update: {
      maxUnavailable: 1,
      minReadySeconds: 5,
      onFailure: 'rollback' as const,
      failAfterSeconds: 300,
    },
  };
  return { ...job, intent: { ...job.intent, spec, foldedByCell: true } };
}

/** Each edge says that all it holds is ready, or that the first of it has ended like this. */
function reported(cell: Cell, atMs: number, failed: JobProgress['failed'] = new Map()): Cell {
  const edges = new Map(cell.edges);
  for (const edge of cell.edges.values()) {
    const { epoch, leases } = edge.work!;
    const jobs = new Map<JobId, JobProgress>();
    let ends = failed;
    for (const [id, { ranges }] of leases) {
      const hasEnded = [...ends.keys()].some((chunk) => ranges[0] === chunk);
      const running = hasEnded ? rangeOf(1, 1) : ranges;
      jobs.set(id, {
        done: rangeOf(0, 0),
        failed: hasEnded ? ends : new Map(),
        running,
        ready: running,
        attempts: new Map(),
        chunkMs: null,
        refused: null,
      });
      if (hasEnded) ends = new Map();
    }
    const sequence = atMs;
    const progress = { boot: 'b', epoch, sequence, freePower: 0, jobs };
    edges.set(edge.name, { ...edge, report: { ...edge.report!, progress, receivedAtMs: atMs } });
  }
  return { ...cell, edges };
}
