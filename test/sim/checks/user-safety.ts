import { isDeepStrictEqual } from 'node:util';
import { isFinal } from '../../../core/model/job.ts';
import type { JobStatus } from '../../../core/model/job-status.ts';
import type { JobId } from '../../../core/model/names.ts';
import {
  chunksOf,
  emptyRanges,
  equal,
  formatRanges,
  has,
  intersect,
  isEmpty,
  parseRanges,
  type RangeSet,
  rangeOf,
  subtract,
  union,
} from '../../../core/model/ranges.ts';
import type { StoredJob } from '../../../core/model/stored-job.ts';
import { killedItsEdges } from '../../../core/scheduler/leases/chunk-ends.ts';
import type { ChangeDone } from '../api.ts';
import type { InstanceBook } from '../services/instance-book.ts';
import type { StoredView } from '../table/stored-view.ts';
import { must, type Truth } from './truth.ts';

/** What users were promised, held against what is stored after each of their changes. */
export type UserBook = {
  created(job: StoredJob): void;
  changed(done: ChangeDone): void;
  folded(before: JobStatus, after: JobStatus): void;
  /** The table is an older one: what users asked for since then was never asked for. */
  restored(): void;
  /** What no later change may have let happen. */
  checkEnd(): void;
  /** The fewest attempts that the job ever allowed. */
  attemptsMin(id: JobId): number;
};

/** Chunks that a user brought back, and how often each had run by then. */
type Revival = { readonly id: JobId; readonly runs: ReadonlyMap<number, number> };

export function createUserBook(
  stored: StoredView,
  truth: Truth,
  services: () => Pick<InstanceBook, 'accepted'> | null = () => null,
): UserBook {
  const attempts = new Map<JobId, number>();
  const revivals: Revival[] = [];
  const note = (job: StoredJob) => {
    const least = attempts.get(job.id) ?? Number.POSITIVE_INFINITY;
    attempts.set(job.id, Math.min(least, job.spec.retries.attempts));
  };
  return {
    created(job) {
      note(job);
      checkCreated(stored, job);
    },
    changed(done) {
      services()?.accepted(done.after, done.change);
      note(done.after);
      if (done.after.spec.restart === undefined) checkEdited(done);
      checkCopies(stored, done);
      checkMoment(done);
      checkRetrying(stored, done);
      if (done.change.kind === 'retry') revivals.push(revivalOf(truth, done));
    },
    folded: checkFold,
    restored() {
      revivals.length = 0;
    },
    checkEnd() {
      for (const revival of revivals) checkRevival(stored, truth, revival);
    },
    attemptsMin: (id) => attempts.get(id) ?? 1,
  };
}

/** Each chunk is in exactly one cell, and one submission makes one job. */
function checkCreated(stored: StoredView, { id, spec, chunking }: StoredJob): void {
  let all: RangeSet = emptyRanges;
  for (const cell of stored.cells.values()) {
    const ranges = cell.jobs.get(id)?.slice.ranges ?? emptyRanges;
    const twice = intersect(all, ranges);
    must(isEmpty(twice), () => `job ${id}: chunks ${formatRanges(twice)} are in two cells`);
    all = union(all, ranges);
  }
  // Who sends a service again may meet what others made of it since.
  const isWhole = spec.restart !== undefined || equal(all, rangeOf(0, chunking.chunks));
  must(isWhole, () => `job ${id} begins with ${formatRanges(all)}`);
  const same = [...stored.jobs.values()].filter(({ job }) => job?.spec.name === spec.name);
  must(
    same.length === 1,
    () => `${spec.name} was submitted once and is stored ${same.length} times`,
  );
}

/** A change does what was asked to what was stored, and nothing else. */
function checkEdited({ request, change, before, after }: ChangeDone): void {
  const wanted = { ...before, version: before.version + 1 };
  const body = (request.body ?? {}) as Partial<StoredJob['spec']>;
  if (change.kind === 'cancel') wanted.cancelledAtMs = change.atMs;
  else if (change.kind === 'retry') wanted.retryEpoch = before.retryEpoch + 1;
  else if (change.kind === 'cancel-ranges') {
    const asked = parseRanges(request.query?.ranges ?? '') ?? emptyRanges;
    wanted.cancelledRanges = union(before.cancelledRanges ?? emptyRanges, asked);
  } else {
    const { spec } = before;
    const isWhole = request.operation === 'putJob';
    wanted.spec = {
      ...spec,
      priority: body.priority ?? spec.priority,
      labels: body.labels ?? (isWhole ? {} : spec.labels),
      retries: { ...(isWhole ? retriesDefault : spec.retries), ...body.retries },
    };
  }
  const sentence = () => {
    const [made, from] = [after, before].map((job) => JSON.stringify(job));
    return `job ${after.id}: ${request.operation} made ${made} of ${from}`;
  };
  must(isDeepStrictEqual(after, wanted), sentence);
}

/** As the OpenAPI document says. */
const retriesDefault = { attempts: 3, backoffSeconds: 5, maxFailedChunks: null };

/** What has ended is neither cancelled nor edited; a pass that ends a job hears of its retry. */
function checkMoment({ change, after, known, stateBefore, overtaken }: ChangeDone): void {
  const { id } = after;
  const hasEnded = stateBefore !== null && isFinal(stateBefore);
  const isOfOpenJob =
    change.kind === 'cancel' ||
    change.kind === 'cancel-ranges' ||
    (change.kind === 'edit' && change.ofOpenJob);
  must(!hasEnded || !isOfOpenJob, () => `job ${id} had ended ${stateBefore}: ${change.detail}`);
  if (change.kind !== 'retry') return;
  for (const [cell, { isOpen, status }] of known) {
    if (!isOpen || status === null || isEmpty(status.dead)) continue;
    must(overtaken.has(cell), () => `cell ${cell} may end job ${id}, which begins again`);
  }
}

/** Until they count the new epoch, what cells counted before does not end the job again. */
function checkRetrying(stored: StoredView, { change, after: { id } }: ChangeDone): void {
  if (change.kind !== 'retry') return;
  const retrying = new Map(stored.jobs.get(id)?.status?.retrying ?? []);
  for (const cell of [...change.raised, ...change.reopened.keys()]) {
    const epoch = retrying.get(cell) ?? 0;
    must(epoch >= change.retryEpoch, () => `the status of job ${id} does not await cell ${cell}`);
  }
}

/** Passes decide by the copies in their cells: they say what the job says. */
function checkCopies(stored: StoredView, { change, after, known }: ChangeDone): void {
  const { id, spec } = after;
  for (const [cell, { jobs }] of stored.cells) {
    const intent = jobs.get(id)?.intent;
    if (intent === undefined) continue;
    must(
      intent.spec.priority === spec.priority &&
        isDeepStrictEqual(intent.spec.retries, spec.retries),
      () => `cell ${cell} does not know of the edit of job ${id}`,
    );
    // What arrives in a cell at the same moment is asked by the next fold, or look.
    if (known.get(cell)?.isOpen !== true) continue;
    if (change.kind === 'cancel-ranges') {
      const unknown = subtract(change.cancelledRanges, intent.cancelledRanges ?? emptyRanges);
      must(
        isEmpty(unknown),
        () => `cell ${cell} does not know that ${formatRanges(unknown)} of job ${id} are cancelled`,
      );
    }
    if (change.kind !== 'cancel') continue;
    must(intent.cancelled, () => `cell ${cell} does not know that job ${id} is cancelled`);
  }
}

/** What has ended stays as it is until a user brings back what was dead; done stays done. */
function checkFold(before: JobStatus, after: JobStatus): void {
  const { job } = before;
  must(
    !isFinal(before.state) || before.state === after.state,
    () => `job ${job} was ${before.state} and is ${after.state}`,
  );
  must(
    after.counts.done >= before.counts.done || after.service !== undefined,
    () => `job ${job}: fewer chunks are done than were`,
  );
}

function revivalOf(truth: Truth, { after: { id }, known }: ChangeDone): Revival {
  const runs = new Map<number, number>();
  for (const { status } of known.values()) {
    for (const chunk of chunksOf(status?.dead ?? emptyRanges)) {
      runs.set(chunk, truth.runsOf(id, chunk));
    }
  }
  return { id, runs };
}

/**
 * Unless the job was ended, each of them ran again, or was there when its edges died again and
 * again: nobody can tell it from the one that killed them. On every edge one may also be gone from
 * the job, with the edge that it was for.
 */
function checkRevival(stored: StoredView, truth: Truth, { id, runs }: Revival): void {
  const cells = [...(stored.jobs.get(id)?.cells.values() ?? [])];
  const over = cells
    .map(({ done, cancelled }) => union(done, cancelled))
    .reduce(union, emptyRanges);
  const dead = cells.map((it) => it.dead).reduce(union, emptyRanges);
  const { job, status } = stored.jobs.get(id) ?? {};
  const maySeatsGo = job?.spec.everywhere !== undefined && status != null && isFinal(status.state);
  for (const [chunk, before] of runs) {
    const isSuspect = stored.jobs.get(id)?.ends.get(chunk)?.failure === killedItsEdges;
    const isGone = maySeatsGo && !has(dead, chunk);
    const isOver = isSuspect || isGone || !isEmpty(intersect(over, rangeOf(chunk, chunk + 1)));
    must(
      isOver || truth.runsOf(id, chunk) > before,
      () => `job ${id}: chunk ${chunk} was asked for again and never ran`,
    );
  }
}
