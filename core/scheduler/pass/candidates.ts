import type { CellJob, Intent, Lease } from '../../model/cell.ts';
import { unavailableFor } from '../../model/edge-state.ts';
import { executorOf, haveArchives } from '../../model/job.ts';
import { refusalKeptMs, unprovenPowerMax, workBytesMax } from '../../model/limits.ts';
import type { EdgeName } from '../../model/names.ts';
import { formatRanges, isEmpty } from '../../model/ranges.ts';
import {
  attemptsOf,
  entryBytes,
  envelopeBytes,
  generationBytes,
  generationsIn,
  removalBytes,
} from '../../protocol/work-of.ts';
import { inputsHaveNames } from '../../sweeps/fill-inputs.ts';
import { haveNames } from '../../sweeps/fill-patterns.ts';
import { appliedEpochOf } from '../leases/epochs.ts';
import { removedKeys } from '../leases/removed-keys.ts';
import { type Mismatch, mismatchOf } from '../matching.ts';
import { type Demand, fitOf } from './capacity.ts';
import type { EdgeDraft, JobDraft, LeaseDraft, Pass } from './draft.ts';

/**
 * Which edges may get chunks of a job at all, whatever is free on them. Placing and explaining ask
 * here.
 */

/** As the pass sees it now: it may have called the edge lost or quarantined it. */
export function unavailable(pass: Pass, edge: EdgeDraft): Mismatch | null {
  return unavailableFor(edge.source, edge, edge.before, pass.nowMs);
}

/** Why the edge would not have the job when it was last asked; after a while it is asked again. */
export function refusalOf(pass: Pass, job: JobDraft, edge: EdgeName): string | null {
  const refusal = job.refusals.get(edge);
  const isFresh = refusal !== undefined && pass.nowMs < refusal.atMs + refusalKeptMs;
  return isFresh ? refusal.reason : null;
}

export function openEdges(pass: Pass): readonly EdgeDraft[] {
  pass.memo.openEdges ??= [...pass.edges.values()].filter(
    (edge) => unavailable(pass, edge) === null,
  );
  return pass.memo.openEdges;
}

/**
 * Open edges of the kind that the job asks for. Jobs that ask for the same kind share the answer.
 */
export function matchingEdges(pass: Pass, job: JobDraft): readonly EdgeDraft[] {
  const shape = shapeOf(job);
  let edges = pass.memo.matchingByShape.get(shape);
  if (edges === undefined) {
    edges = openEdges(pass).filter((edge) => mismatchOf(edge.source, job.intent.spec) === null);
    pass.memo.matchingByShape.set(shape, edges);
  }
  if (job.refusals.size === 0) return edges;
  return edges.filter((edge) => refusalOf(pass, job, edge.name) === null);
}

/**
 * No edge of the cell is of the kind that the job asks for, not even one that is away: waiting here
 * is in vain.
 */
export function isStranded(pass: Pass, job: JobDraft): boolean {
  const shape = shapeOf(job);
  let stranded = pass.memo.strandedByShape.get(shape);
  if (stranded === undefined) {
    const edges = [...pass.edges.values()];
    stranded =
      edges.length > 0 && edges.every((edge) => mismatchOf(edge.source, job.intent.spec) !== null);
    pass.memo.strandedByShape.set(shape, stranded);
  }
  return stranded;
}

/**
 * Asked several times of each of thousands of jobs that wait. Specs never change, and those that
 * say the same are one object where they were read from rows.
 */
export function shapeOf(job: JobDraft): string {
  job.shape ??= shapeOfSpec(job.intent.spec);
  return job.shape;
}

const shapes = new WeakMap<Intent['spec'], string>();

export function shapeOfSpec(spec: Intent['spec']): string {
  const known = shapes.get(spec);
  if (known !== undefined) return known;
  const shape = makeShape(spec);
  shapes.set(spec, shape);
  return shape;
}

function makeShape({ requires, run, inputs, outputs, sweep, restart }: Intent['spec']): string {
  const asked: string[] = [executorOf(run)];
  if (inputs !== undefined) asked.push(haveArchives(inputs) ? 'archives' : 'files');
  if (inputs !== undefined && inputsHaveNames(inputs)) asked.push('named inputs');
  if (outputs !== undefined) asked.push(haveNames(outputs.paths) ? 'named results' : 'results');
  if (sweep) asked.push('parameters');
  if (restart !== undefined) asked.push('service');
  const executor = asked.join(', ');
  let plain = requires.expressions.length === 0 && requires.edges.length === 0;
  for (const _ in requires.labels) plain = false;
  return plain ? executor : `${executor} ${JSON.stringify(requires)}`;
}

/** Another job that needs the same has found no edge: to look for this one would be in vain. */
export function isInVain(pass: Pass, job: JobDraft): boolean {
  if (job.leases.length > 0 || job.intent.spec.placement.nodes !== null) return false;
  const unfit = pass.memo.unfitPowerByNeed.get(kindOfNeed(job));
  return unfit !== undefined && Math.min(job.demand.power, job.demand.lastPower) >= unfit;
}

/** Jobs with the same key see the same edges and need the same besides power. */
export function kindOfNeed(job: JobDraft): string {
  const { others } = job.demand;
  return others.length === 0 ? shapeOf(job) : `${shapeOf(job)} ${others.join()}`;
}

/**
 * How many chunks an edge takes now. Nobody checks what it claims, so one that has never applied a
 * document shows first that it works at all, with not more than a common edge could do.
 */
export function roomOf(demand: Demand, edge: EdgeDraft, power = demand.power): number {
  const fit = fitOf(demand, edge.free, power);
  if (appliedEpochOf(edge) > 0) return fit;
  const reserved = edge.capacity.power - edge.free.power;
  const most = Math.floor((unprovenPowerMax - reserved) / power);
  return Math.max(0, Math.min(fit, reserved === 0 ? Math.max(1, most) : most));
}

export function documentBytes(edge: EdgeDraft): number {
  if (edge.documentBytes < 0) {
    let bytes = envelopeBytes;
    for (const lease of edge.leases.values()) {
      if (lease.ranges.length > 0) bytes += leaseBytes(lease, lease.ranges);
    }
    for (const { job, lease } of edge.suspended.values()) bytes += suspendedBytes(job, lease);
    for (const id of removedKeys(edge)) bytes += removalBytes(id);
    edge.documentBytes = bytes;
  }
  return edge.documentBytes;
}

function suspendedBytes({ id, intent, slice }: CellJob, { ranges, reclaiming }: Lease): number {
  if (isEmpty(ranges)) return 0;
  const texts = { ranges: formatRanges(ranges), release: formatRanges(reclaiming) };
  const held = generationBytes(generationsIn(ranges, { intent, slice }));
  return entryBytes(id, intent.specHash, texts, attemptsOf(ranges, slice)) + held;
}

/** What the lease's entry takes of the document when it holds `ranges`. */
export function leaseBytes(lease: LeaseDraft, ranges: LeaseDraft['ranges']): number {
  const texts = { ranges: formatRanges(ranges), release: formatRanges(lease.reclaiming) };
  const { id, intent } = lease.job;
  const held = generationBytes(generationsIn(ranges, { intent, slice: lease.job }));
  return entryBytes(id, intent.specHash, texts, attemptsOf(ranges, lease.job)) + held;
}

/** Whether an entry of a few bytes more would still fit. */
export function hasRoomForEntry(edge: EdgeDraft): boolean {
  return documentBytes(edge) + entryBytesTypical <= workBytesMax;
}

const entryBytesTypical = 200;
