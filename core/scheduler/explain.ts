import type { Cell, CellJob, Intent } from '../model/cell.ts';
import { newSlice } from '../model/cell.ts';
import { powerOf } from '../model/job.ts';
import { type EdgeName, type JobId, jobIdOf } from '../model/names.ts';
import type { WaitingCount } from '../model/plan.ts';
import { type RangeSet, rangeOf } from '../model/ranges.ts';
import { standsStill } from '../model/unreadable.ts';
import { mismatchOf } from './matching.ts';
import { isActive, openPass, type Pass } from './pass/draft.ts';
import { heldOn } from './pass/held-inputs.ts';
import { isSuspensionReported, suspensionOf, unreadableJob } from './pass/suspension.ts';
import { serveBacklog } from './phases/order-backlog.ts';
import { placeJob } from './phases/place-job.ts';
import { waitingOf } from './phases/waiting.ts';

/**
 * What the backlog of a cell gets if it is served now, by the very functions that a pass places
 * with: why chunks wait, and where a job would go. Nothing is stored.
 *
 * Only what is placed is decided here. What became of edges, leases and retries is as the last pass
 * left it; a report that no pass has seen yet is not seen here either.
 */

/** Empty when nothing waits, or when the job is not here. */
export function explain(cell: Cell, job: JobId, nowMs: number): readonly WaitingCount[] {
  const standstill = standstillOf(cell, job);
  if (standstill.length > 0) return standstill;
  const stored = cell.jobs.get(job);
  if (stored !== undefined && isSuspensionReported(stored)) return [suspensionOf(stored)];
  const pass = serveNow(cell, nowMs);
  const draft = pass.jobs.get(job);
  return draft === undefined ? [] : waitingOf(pass, draft);
}

/** Edges that come first among equals because they say that they have inputs of the job. */
export function holdersOf(cell: Cell, job: JobId): readonly EdgeName[] {
  const spec = cell.jobs.get(job)?.intent.spec;
  if (spec?.inputs === undefined) return [];
  const held = heldOn(spec.inputs);
  const edges = [...cell.edges.values()];
  return edges
    .filter((edge) => mismatchOf(edge, spec) === null && held(edge) > 0)
    .map(({ name }) => name);
}

/** Why nothing at all is decided about the job, waiting or not: empty where something is. */
export function standstillOf(cell: Cell, job: JobId): readonly WaitingCount[] {
  const damaged = cell.unreadable?.jobs.get(job);
  if (damaged !== undefined) return [unreadableJob(damaged)];
  const standIn = cell.jobs.get(job);
  if (standIn === undefined || !standsStill(cell.meta)) return [];
  return [unreadableJob({ row: `META of ${cell.meta.id}`, standIn })];
}

/** As many rows as it takes: what a pass would leave to the next ones is placed at once. */
function serveNow(cell: Cell, nowMs: number): Pass {
  const pass = openPass(cell, nowMs, Number.POSITIVE_INFINITY);
  serveBacklog(pass, placeJob);
  return pass;
}

/**
 * Where a job would go in this cell if it were submitted now; several passes' worth of rows are
 * counted as one.
 */
export type JobPlan = {
  readonly executions: readonly {
    readonly edge: EdgeName;
    readonly chunks: RangeSet;
    readonly slots: number;
    readonly power: number;
  }[];
  readonly waiting: readonly WaitingCount[];
};

/** The dry run of `POST /v1/plan`: all jobs of the cell compete as they would. */
export function planJob(
  cell: Cell,
  intent: Intent,
  nowMs: number,
  ranges: RangeSet = rangeOf(0, intent.chunking.chunks),
): JobPlan {
  const id = jobIdOf(dryRunId);
  const job: CellJob = { id, intent, slice: newSlice(ranges) };
  const jobs = new Map(cell.jobs).set(id, job);
  const pass = serveNow({ ...cell, jobs }, nowMs);
  return jobPlanOf(pass, id);
}

/** Sorts behind every real id. */
const dryRunId = 'zzzzzzzzzzzzzzzzzz';

function jobPlanOf(pass: Pass, id: JobId): JobPlan {
  const job = pass.jobs.get(id)!;
  const executions = job.leases.filter(isActive).map((lease) => ({
    edge: lease.edge.name,
    chunks: lease.ranges,
    slots: lease.slots,
    power: powerOf(job.intent.chunking, lease.ranges),
  }));
  return { executions, waiting: waitingOf(pass, job) };
}
