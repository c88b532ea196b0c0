import type { Cell, Lease } from '../../core/model/cell.ts';
import { edgeNameOf, type JobId, jobIdOf } from '../../core/model/names.ts';
import type { Plan } from '../../core/model/plan.ts';
import { emptyRanges, formatRanges, parseRanges } from '../../core/model/ranges.ts';
import type { JobProgress, ProgressReport } from '../../core/protocol/progress-report.ts';
import { applyPlan } from '../../core/scheduler/apply-plan.ts';
import { reconcile } from '../../core/scheduler/reconcile.ts';
import { withEdge, withProgress } from './cell-fixture.ts';

/** Short words for tests of single phases. */

export function pass(cell: Cell, atMs: number): Cell {
  return applyPlan(cell, reconcile(cell, atMs));
}

/**
 * Passes until nothing is left to decide at this moment, with the last plan that decided something.
 */
export function rest(cell: Cell, atMs: number): { cell: Cell; plans: Plan[] } {
  const plans: Plan[] = [];
  let at = cell;
  for (;;) {
    const plan = reconcile(at, atMs);
    if (plan.meta === null) return { cell: at, plans };
    plans.push(plan);
    if (plans.length > 500) throw new Error('a pass never comes to rest');
    at = applyPlan(at, plan);
  }
}

export function leaseOf(cell: Cell, edge: string, job: string): Lease | undefined {
  return cell.edges.get(edgeNameOf(edge))?.work?.leases.get(jobIdOf(job));
}

/** What each edge holds of the job, as text; edges without any are left out. */
export function held(cell: Cell, job: string): Record<string, string> {
  const out: Record<string, string> = {};
  for (const edge of cell.edges.values()) {
    const ranges = edge.work?.leases.get(jobIdOf(job))?.ranges ?? emptyRanges;
    if (ranges.length > 0) out[edge.name] = formatRanges(ranges);
  }
  return out;
}

export type ReportedJob = {
  done?: string;
  running?: string | undefined;
  failed?: [number, number | string][];
  chunkMs?: number;
  percents?: [number, number][];
  ready?: string | undefined;
  attempts?: [number, string][];
};

/** The edge reports this about its jobs, having applied its newest document. */
export function withReport(
  cell: Cell,
  edge: string,
  jobs: Record<string, ReportedJob>,
  atMs: number,
  epoch?: number,
): Cell {
  const before = cell.edges.get(edgeNameOf(edge))!;
  const entries = new Map<JobId, JobProgress>();
  for (const [job, reported] of Object.entries(jobs)) {
    entries.set(jobIdOf(job), {
      done: parseRanges(reported.done ?? '')!,
      running: parseRanges(reported.running ?? '')!,
      failed: new Map(reported.failed ?? []),
      attempts: new Map((reported.attempts ?? []).map(([n, set]) => [n, parseRanges(set)!])),
      chunkMs: reported.chunkMs ?? null,
      refused: null,
      ...(reported.ready !== undefined && { ready: parseRanges(reported.ready)! }),
      ...(reported.percents !== undefined && { percents: new Map(reported.percents) }),
    });
  }
  const progress: ProgressReport = {
    boot: 'b',
    epoch: epoch ?? before.work?.epoch ?? 0,
    sequence: (before.report?.progress?.sequence ?? 0) + 1,
    freePower: 0,
    jobs: entries,
  };
  return withProgress(cell, edge, progress, atMs);
}

/** Every connected edge reports that it applied its newest document. */
export function applied(cell: Cell, atMs: number): Cell {
  let at = cell;
  for (const edge of cell.edges.values()) {
    if (edge.work !== null && edge.report?.connected === true)
      at = withReport(at, edge.name, {}, atMs);
  }
  return at;
}

/** The broker says that the edge came or went. */
export function connect(cell: Cell, edge: string, connected: boolean, atMs: number): Cell {
  const { report } = cell.edges.get(edgeNameOf(edge))!;
  const changed = { ...report!, connected, connectionAtMs: atMs };
  return withEdge(cell, edge, { report: changed });
}

export function slice(cell: Cell, job: string) {
  return cell.jobs.get(jobIdOf(job))!.slice;
}
