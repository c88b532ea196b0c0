import type { CellJob, Lease } from '../../model/cell.ts';
import { unavailableFor } from '../../model/edge-state.ts';
import { executorOf } from '../../model/job.ts';
import { refusalKeptMs, workBytesMax } from '../../model/limits.ts';
import type { EdgeName } from '../../model/names.ts';
import { formatRanges, isEmpty } from '../../model/ranges.ts';
import { attemptsOf, entryBytes } from '../../protocol/work-of.ts';
import { type Mismatch, mismatchOf } from '../matching.ts';
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

export function shapeOf(job: JobDraft): string {
  const { requires, run } = job.intent.spec;
  const executor = executorOf(run);
  let plain = requires.expressions.length === 0 && requires.edges.length === 0;
  for (const _ in requires.labels) plain = false;
  return plain ? executor : `${executor} ${JSON.stringify(requires)}`;
}

/** The envelope of the document: epoch, sequence and braces. */
const envelopeBytes = 64;

export function documentBytes(edge: EdgeDraft): number {
  if (edge.documentBytes < 0) {
    let bytes = envelopeBytes;
    for (const lease of edge.leases.values()) {
      if (lease.ranges.length > 0) bytes += leaseBytes(lease, lease.ranges);
    }
    for (const { job, lease } of edge.suspended.values()) bytes += suspendedBytes(job, lease);
    edge.documentBytes = bytes;
  }
  return edge.documentBytes;
}

function suspendedBytes({ id, intent, slice }: CellJob, { ranges, reclaiming }: Lease): number {
  if (isEmpty(ranges)) return 0;
  const texts = { ranges: formatRanges(ranges), release: formatRanges(reclaiming) };
  return entryBytes(id, intent.specHash, texts, attemptsOf(ranges, slice));
}

/** What the lease's entry takes of the document when it holds `ranges`. */
export function leaseBytes(lease: LeaseDraft, ranges: LeaseDraft['ranges']): number {
  const texts = { ranges: formatRanges(ranges), release: formatRanges(lease.reclaiming) };
  return entryBytes(lease.job.id, lease.job.intent.specHash, texts, attemptsOf(ranges, lease.job));
}

/** Whether an entry of a few bytes more would still fit. */
export function hasRoomForEntry(edge: EdgeDraft): boolean {
  return documentBytes(edge) + entryBytesTypical <= workBytesMax;
}

const entryBytesTypical = 200;
