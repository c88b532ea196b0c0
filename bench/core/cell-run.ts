import { encodeSlice } from '../../adapters/dynamodb/rows/rows-slice.ts';
import { encodeWorkRow } from '../../adapters/dynamodb/rows/rows-work.ts';
import type { Cell, CellEdge, CellJob } from '../../core/model/cell.ts';
import type { CellId, EdgeName } from '../../core/model/names.ts';
import type { Plan } from '../../core/model/plan.ts';
import { intervals } from '../../core/model/ranges.ts';
import { encodeWork } from '../../core/protocol/work.ts';
import { workOf } from '../../core/protocol/work-of.ts';
import { applyPlan } from '../../core/scheduler/apply-plan.ts';
import { reconcile } from '../../core/scheduler/reconcile.ts';
import { type Counts, kilobytes, prices } from './bill.ts';
import {
  type EdgeModel,
  newEdgeModel,
  nextReportMs,
  reportOf,
  runUntil,
  takeWork,
} from './edge-model.ts';
import { openCell } from './measured-cell.ts';

/**
 * One cell, from the submission of its jobs to the end of the last one, with the real decisions and
 * modelled edges. Reports of one second are applied by one wake-up, as a batch of the stream; a
 * wake-up reads the cell once and goes on for as many passes as the plans ask for.
 */
export type CellOptions = {
  readonly edges: readonly CellEdge[];
  readonly chunkMs: number;
  readonly reportEveryMs: number;
};

const windowMs = 1_000;

export function runCell(
  id: CellId,
  jobs: readonly CellJob[],
  options: CellOptions,
  counts: Counts,
): void {
  let cell = openCell(id, options.edges, jobs);
  const models = new Map<EdgeName, EdgeModel>();
  let index = 0;
  for (const name of cell.edges.keys()) {
    models.set(name, newEdgeModel(options.chunkMs * paceOf(index++)));
  }
  let nowMs = 0;
  cell = wakeUp(cell, nowMs, models, counts);
  while (cell.jobs.size > 0) {
    nowMs = nextWindow(models, nowMs, options.reportEveryMs);
    cell = { ...cell, edges: reported(cell, models, nowMs, options.reportEveryMs, counts) };
    cell = wakeUp(cell, nowMs, models, counts);
  }
}

/** Edges differ by a fifth in speed, so that they do not report in step. */
function paceOf(index: number): number {
  return 0.9 + (0.2 * ((index * 37) % 100)) / 100;
}

/** The end of the second in which the next edge reports. */
function nextWindow(
  models: ReadonlyMap<EdgeName, EdgeModel>,
  nowMs: number,
  everyMs: number,
): number {
  let nextMs = Number.POSITIVE_INFINITY;
  for (const model of models.values()) nextMs = Math.min(nextMs, nextReportMs(model, everyMs));
  if (nextMs === Number.POSITIVE_INFINITY) throw new Error('no edge has anything to do');
  return Math.max(nowMs + 1, Math.ceil(nextMs / windowMs) * windowMs);
}

function reported(
  cell: Cell,
  models: ReadonlyMap<EdgeName, EdgeModel>,
  nowMs: number,
  everyMs: number,
  counts: Counts,
): Map<EdgeName, CellEdge> {
  const edges = new Map(cell.edges);
  for (const [name, model] of models) {
    if (nextReportMs(model, everyMs) > nowMs) continue;
    runUntil(model, nowMs);
    const edge = edges.get(name)!;
    const report = { ...edge.report!, progress: reportOf(model), receivedAtMs: nowMs };
    edges.set(name, { ...edge, report });
    counts.reports++;
    counts.shadowUpdates++;
    counts.messages++;
    counts.tableWrites++;
    counts.writeUnits++;
  }
  return edges;
}

/** Passes until nothing is due, then the new documents go out. */
function wakeUp(
  before: Cell,
  nowMs: number,
  models: ReadonlyMap<EdgeName, EdgeModel>,
  counts: Counts,
): Cell {
  let cell = before;
  const written = new Set<EdgeName>();
  counts.readUnits += readUnitsOf(cell);
  counts.passes++;
  for (;;) {
    const plan = reconcile(cell, nowMs);
    if (plan.meta === null) break;
    cell = applyPlan(cell, plan);
    countPlan(cell, plan, counts);
    for (const name of plan.shadows) written.add(name);
    if (plan.lookAgainAtMs === null || plan.lookAgainAtMs > nowMs) break;
  }
  for (const name of written) {
    const work = cell.edges.get(name)!.work!;
    counts.leases++;
    counts.shadowUpdates += kilobytes(documentBytes(cell, name));
    counts.messages++;
    const model = models.get(name)!;
    runUntil(model, nowMs);
    takeWork(model, work);
  }
  return cell;
}

/** Sizes are measured on one row in so many, since measuring is dearer than deciding. */
const sampleEvery = 64;
let sampled = 0;
let documentSize = 200;
let workSize = 400;

function documentBytes(cell: Cell, name: EdgeName): number {
  if (sampled++ % sampleEvery === 0) {
    const work = cell.edges.get(name)!.work!;
    documentSize = JSON.stringify(encodeWork(workOf(work, cell.jobs), work.removed)).length;
    workSize = JSON.stringify(encodeWorkRow(cell.meta.id, name, work)).length;
  }
  return documentSize;
}

function readUnitsOf(cell: Cell): number {
  // Settings, facts, report and work of an edge; intent and slice of a job.
  const edgeBytes = 150 + 150 + 300 + workSize;
  let bytes = cell.edges.size * edgeBytes + 1_200;
  for (const job of cell.jobs.values()) bytes += 900 + 16 * intervals(job.slice.done);
  return Math.ceil(bytes / 4096);
}

function countPlan(cell: Cell, plan: Plan, counts: Counts): void {
  const factor = prices.dynamodbTransactionFactor!;
  const write = (units: number, rows = 1) => {
    counts.tableWrites += rows;
    counts.writeUnits += factor * units * rows;
  };
  write(kilobytes(1_200));
  write(kilobytes(workSize), plan.works.size);
  write(1, plan.executions.length + plan.chunkEnds.length);
  for (const [id, slice] of plan.slices) {
    write(kilobytes(JSON.stringify(encodeSlice(cell.meta.id, id, slice)).length));
  }
  for (const status of plan.jobStatuses.values()) {
    write(kilobytes(400 + 16 * intervals(status.done)));
    if (status.endedAtMs !== null) counts.chunks += status.counts.done;
  }
  write(1, 2 * plan.endedJobs.size);
}
