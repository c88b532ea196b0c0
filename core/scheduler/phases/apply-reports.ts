import { powerOf } from '../../model/job.ts';
import { edgeFailuresMax, placementRowsMin } from '../../model/limits.ts';
import {
  count,
  emptyRanges,
  equal,
  fromChunks,
  has,
  intersect,
  isEmpty,
  type RangeSet,
  rangeOf,
  subtract,
  union,
} from '../../model/ranges.ts';
import { noPercents, risenPercents } from '../../protocol/percents.ts';
import {
  type JobProgress,
  noProgress,
  type ProgressReport,
} from '../../protocol/progress-report.ts';
import { endInstance, isService } from '../instances/instance-ends.ts';
import { endDone, endFailed } from '../leases/chunk-ends.ts';
import { appliedEpochOf } from '../leases/epochs.ts';
import { takeAway } from '../leases/take-back.ts';
import { refusalOf } from '../pass/candidates.ts';
import {
  changeLease,
  type EdgeDraft,
  isActive,
  type JobDraft,
  type LeaseDraft,
  type Pass,
} from '../pass/draft.ts';
import { failuresOf } from '../pass/due-retries.ts';
import {
  canAfford,
  edgeCost,
  endCost,
  leaseCost,
  payEnd,
  touchEdge,
  touchLease,
} from '../plan/rows.ts';
import { spareEnd } from '../plan/spared-rows.ts';

/**
 * Applies what edges reported: whole and cumulative, so applying a report twice, late or out of
 * order does no harm.
 *
 * `done` counts for whoever reports it first while the chunk is open, of chunks that the edge holds
 * or held when it was lost: what it was never given is not its to report. A failure counts only
 * from the holder and only of the current attempt. What is applied need not be acknowledged at
 * once: the next document carries it. Only results that the edge's document does not cover any more
 * ask for a document of their own.
 */
export function applyReports(pass: Pass): void {
  for (const edge of pass.edges.values()) {
    const progress = edge.source.report?.progress ?? null;
    if (progress === null) continue;
    // A table restored to an earlier time has forgotten documents that the edge obeys: go on above
    // them.
    if (appliedEpochOf(edge) > edge.before.epoch && canAfford(pass, edgeCost(edge))) {
      touchEdge(pass, edge, true);
    }
    if (progress.sequence !== null && progress.sequence === edge.before.acknowledgedSequence)
      continue;
    applyReport(pass, edge, progress);
  }
}

function applyReport(pass: Pass, edge: EdgeDraft, progress: ProgressReport): void {
  let whole = true;
  let acknowledge = false;
  let foreign = 0;
  for (const [id, entry] of progress.jobs) {
    const job = pass.jobs.get(id);
    if (job === undefined) {
      if (!pass.suspended.has(id) && hasResults(entry)) {
        edge.unknownJobs.add(id);
        acknowledge = true;
      }
      continue;
    }
    foreign += count(foreignOf(edge, job, entry));
    const active = edge.leases.get(id)?.before?.ranges ?? emptyRanges;
    if (needsAcknowledgement(entry, active)) acknowledge = true;
    if (!applyEntry(pass, edge, job, entry, progress.epoch)) whole = false;
  }
  for (const lease of edge.leases.values()) {
    if (progress.jobs.has(lease.job.id) || !isActive(lease)) continue;
    if (!applyEntry(pass, edge, lease.job, noProgress, progress.epoch)) whole = false;
  }
  noteForeign(pass, edge, foreign);
  if (whole) edge.acknowledgedSequence = progress.sequence;
  // An edge that has applied the last document and still shows such results has not got their
  // acknowledgement.
  if (acknowledge && progress.epoch >= edge.before.epoch && canAfford(pass, edge.touched ? 0 : 1)) {
    touchEdge(pass, edge, true);
  }
}

/** Open chunks that the report calls done and the edge was never given. */
function foreignOf(edge: EdgeDraft, job: JobDraft, entry: JobProgress): RangeSet {
  const open = openOf(job, entry.done);
  const lease = edge.leases.get(job.id);
  return lease === undefined ? open : subtract(subtract(open, lease.ranges), lease.heldBefore);
}

function openOf(job: JobDraft, chunks: RangeSet): RangeSet {
  if (isEmpty(chunks)) return chunks;
  const open = subtract(intersect(chunks, job.ranges), job.done);
  return subtract(subtract(open, job.dead), job.cancelled);
}

/** Kept on the edge until a report without any, so that whoever looks at it sees why. */
function noteForeign(pass: Pass, edge: EdgeDraft, chunks: number): void {
  if (chunks === edge.foreignResults || !canAfford(pass, edgeCost(edge), placementRowsMin)) return;
  if (chunks > edge.foreignResults) {
    pass.alarms.push({ kind: 'foreign-results', edge: edge.name, chunks });
  }
  edge.foreignResults = chunks;
  touchEdge(pass, edge, false);
}

function hasResults(entry: JobProgress): boolean {
  return !isEmpty(entry.done) || entry.failed.size > 0 || !isEmpty(entry.running);
}

/**
 * Results outside of what the edge's document names; those of an active lease are acknowledged by
 * its next document.
 */
function needsAcknowledgement(entry: JobProgress, active: RangeSet): boolean {
  if (isEmpty(active)) return !isEmpty(entry.done) || entry.failed.size > 0;
  for (const chunk of entry.failed.keys()) if (!has(active, chunk)) return true;
  return false;
}

function applyEntry(
  pass: Pass,
  edge: EdgeDraft,
  job: JobDraft,
  entry: JobProgress,
  epoch: number,
): boolean {
  if (!applyDone(pass, edge, job, entry)) return false;
  if (!applyFailed(pass, edge, job, entry, epoch)) return false;
  const lease = edge.leases.get(job.id);
  return lease === undefined || applyLease(pass, lease, entry, epoch);
}

function applyDone(pass: Pass, edge: EdgeDraft, job: JobDraft, entry: JobProgress): boolean {
  // Of an instance an end is reported as a failure with the exit code 0.
  if (isService(job)) return true;
  const lease = edge.leases.get(job.id);
  if (lease === undefined) return true;
  const open = intersect(openOf(job, entry.done), union(lease.ranges, lease.heldBefore));
  if (isEmpty(open)) return true;
  const late = subtract(open, lease.ranges);
  const losers = isEmpty(late) ? [] : job.leases.filter((other) => holdsAny(other, late));
  let own = open;
  for (const loser of losers) own = subtract(own, loser.ranges);
  if (!applyPart(pass, lease, own, null)) return false;
  for (const loser of losers) {
    if (!applyPart(pass, lease, intersect(late, loser.ranges), loser)) return false;
  }
  return true;
}

/**
 * Done chunks that one edge held meanwhile, or none: each other holder gets a new document, so the
 * rows of each are asked for by themselves.
 */
function applyPart(
  pass: Pass,
  lease: LeaseDraft,
  done: RangeSet,
  loser: LeaseDraft | null,
): boolean {
  if (isEmpty(done)) return true;
  const { job, edge } = lease;
  const isLast = openAfter(job, done) <= 0;
  const rows = leaseCost(lease) + (loser === null ? 0 : leaseCost(loser));
  if (!canAfford(pass, rows + (isLast ? endCost(job) : 0), placementRowsMin)) return false;
  if (isLast) {
    payEnd(pass, job);
    spareEnd(pass, lease, loser);
  }
  if (loser !== null) {
    takeAway(loser, done);
    touchLease(pass, loser, true);
  }
  endDone(pass, job, done);
  takeAway(lease, done);
  noteDone(lease, done);
  noteStart(job, lease);
  edge.failuresInRow = 0;
  touchLease(pass, lease, !isActive(lease));
  return true;
}

/** It counts to what its edge has done in all. */
function noteDone(lease: LeaseDraft, done: RangeSet): void {
  const { job, edge } = lease;
  lease.doneHere = union(lease.doneHere, done);
  const { chunksDone, powerServed } = edge.totals;
  edge.totals = {
    chunksDone: chunksDone + count(done),
    powerServed: powerServed + powerOf(job.intent.chunking, done),
  };
}

/** Chunks of the cell that are left when these are done, too. */
function openAfter(job: JobDraft, done: RangeSet): number {
  const ended = count(job.done) + count(job.dead) + count(job.cancelled);
  return count(job.before.ranges) - ended - count(done);
}

/**
 * What ended before anybody saw it run began after its edge got it: a short job took a moment, not
 * no time at all.
 */
function noteStart(job: JobDraft, lease: LeaseDraft): void {
  job.startedAtMs ??= lease.startedAtMs;
}

function holdsAny(lease: LeaseDraft, chunks: RangeSet): boolean {
  return !isEmpty(intersect(lease.ranges, chunks));
}

function applyFailed(
  pass: Pass,
  edge: EdgeDraft,
  job: JobDraft,
  entry: JobProgress,
  epoch: number,
): boolean {
  const lease = edge.leases.get(job.id);
  if (lease === undefined || entry.failed.size === 0) return true;
  let outdated = false;
  for (const [chunk, failure] of entry.failed) {
    if (!has(lease.ranges, chunk)) continue;
    if (attemptIn(entry, chunk) <= failuresOf(job, chunk, has(job.revived, chunk))) {
      outdated = true;
      continue;
    }
    if (!canAfford(pass, leaseCost(lease) + 1, placementRowsMin)) return false;
    const chunks = rangeOf(chunk, chunk + 1);
    const blamed = !isEmpty(job.done);
    const end = isService(job)
      ? endInstance(pass, job, edge, chunk, failure)
      : endFailed(pass, job, edge, chunk, failure);
    takeAway(lease, chunks);
    if (end === 'done') noteDone(lease, chunks);
    if (end === 'dead') lease.deadHere = union(lease.deadHere, chunks);
    // A job that never succeeded anywhere says nothing about the edge.
    if (blamed && end !== 'done')
      edge.failuresInRow = Math.min(edge.failuresInRow + 1, edgeFailuresMax);
    noteStart(job, lease);
    touchLease(pass, lease, true);
  }
  // It obeys its last document and answers a number that is over: a user's retry has given the
  // chunk another one, which it does not know.
  if (!outdated || epoch < edge.before.epoch) return true;
  if (!canAfford(pass, edgeCost(edge), placementRowsMin)) return false;
  touchEdge(pass, edge, true);
  return true;
}

function attemptIn(entry: JobProgress, chunk: number): number {
  for (const [attempt, chunks] of entry.attempts) if (has(chunks, chunk)) return attempt;
  return 1;
}

/** Of an instance, what is said of an earlier start says nothing of the present one. */
function presentOf({ job }: LeaseDraft, entry: JobProgress): RangeSet {
  if (!isService(job) || job.retries.size === 0) return entry.running;
  const earlier: number[] = [];
  for (const [chunk, { failures }] of job.retries) {
    if (has(entry.running, chunk) && attemptIn(entry, chunk) <= failures) earlier.push(chunk);
  }
  return subtract(entry.running, fromChunks(earlier));
}

/** What runs, what is released, how fast it goes, and whether the edge wants the job at all. */
function applyLease(pass: Pass, lease: LeaseDraft, entry: JobProgress, epoch: number): boolean {
  const running = intersect(presentOf(lease, entry), lease.ranges);
  const confirmed = lease.reclaimEpoch !== null && epoch >= lease.reclaimEpoch;
  const started = union(running, entry.done);
  const refused = entry.refused !== null && refusalOf(pass, lease.job, lease.edge.name) === null;
  const percents = risenPercents(lease.percents, entry.percents ?? noPercents, running);
  const ready = intersect(entry.ready ?? emptyRanges, running);
  const moved = percents !== lease.percents || !equal(ready, lease.ready);
  if (confirmed || refused || moved || !equal(running, lease.running)) {
    if (!canAfford(pass, leaseCost(lease), placementRowsMin)) return false;
    lease.percents = percents;
    lease.ready = ready;
    let ranges = lease.ranges;
    if (confirmed) ranges = subtract(ranges, subtract(lease.reclaiming, started));
    if (refused) ranges = running;
    changeLease(lease, {
      ranges,
      running,
      reclaiming: confirmed || refused ? emptyRanges : lease.reclaiming,
      reclaimEpoch: confirmed || refused ? null : lease.reclaimEpoch,
    });
    if (refused) {
      const refusal = { reason: entry.refused ?? '', atMs: pass.nowMs };
      lease.job.refusals = new Map(lease.job.refusals).set(lease.edge.name, refusal);
    }
    const begun = isService(lease.job) ? ready : running;
    if (!isEmpty(begun)) lease.job.startedAtMs ??= pass.nowMs;
    // What the edge had started stays, and has to be named as its own: after a restart it would not
    // start it again.
    const kept = confirmed && !isEmpty(intersect(lease.before?.reclaiming ?? emptyRanges, ranges));
    touchLease(pass, lease, refused || kept || !isActive(lease));
  }
  if (entry.chunkMs !== null) lease.chunkMs = entry.chunkMs;
  return true;
}
