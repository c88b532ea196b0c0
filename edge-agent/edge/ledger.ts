import type { JobId } from '../../core/model/names.ts';
import {
  count,
  emptyRanges,
  fromChunks,
  has,
  isEmpty,
  type RangeSet,
  rangeOf,
  subtract,
  union,
} from '../../core/model/ranges.ts';
import type { Failure } from '../../core/protocol/progress-report.ts';

/**
 * What one edge knows of one job: results that the cloud has not acknowledged yet.
 *
 * A result is kept until its chunk is absent from `work` *and* the cloud has applied a report that
 * contained it. So a result that ended while the lease was being taken away is still reported once,
 * and the first valid one wins.
 */
export type JobLedger = {
  readonly done: RangeSet;
  /** Attempts above 1 of the chunks in `done`. */
  readonly doneAttempts: ReadonlyMap<number, RangeSet>;
  readonly failed: ReadonlyMap<number, FailedChunk>;
  /** Accepted reports, oldest first, each with the results that it was the first to contain. */
  readonly accepted: readonly AcceptedReport[];
  /** Moving average of the milliseconds that a chunk took. */
  readonly chunkMs: number | null;
};

export type FailedChunk = { readonly attempt: number; readonly failure: Failure };
export type AcceptedReport = { readonly sequence: number; readonly chunks: RangeSet };

export const emptyLedger: JobLedger = {
  done: emptyRanges,
  doneAttempts: new Map(),
  failed: new Map(),
  accepted: [],
  chunkMs: null,
};

/** How much the newest chunk counts in the moving average. */
const newestWeight = 0.2;

export type Result = {
  readonly chunk: number;
  readonly attempt: number;
  /** `null`: done. */
  readonly failure: Failure | null;
  readonly durationMs: number | null;
};

/** Chunks that are done, of one attempt. */
export type DoneChunks = {
  readonly chunks: RangeSet;
  readonly attempt: number;
  /** How long one of them took. */
  readonly meanMs: number | null;
};

/** What was done before stays as it was; a failure is replaced. */
export function withDone(ledger: JobLedger, { chunks, attempt, meanMs }: DoneChunks): JobLedger {
  const fresh = subtract(chunks, ledger.done);
  if (isEmpty(fresh)) return ledger;
  const isAnyFailed = [...ledger.failed.keys()].some((chunk) => has(fresh, chunk));
  const clean = isAnyFailed ? withoutResults(ledger, fresh) : ledger;
  return {
    ...clean,
    chunkMs: average(clean.chunkMs, meanMs, count(fresh)),
    done: union(clean.done, fresh),
    doneAttempts: attempt > 1 ? addTo(clean.doneAttempts, attempt, fresh) : clean.doneAttempts,
  };
}

/** A second result of a chunk replaces the first, except that `done` is never undone. */
export function withResult(ledger: JobLedger, result: Result): JobLedger {
  const { chunk, attempt, failure } = result;
  if (failure === null) {
    const meanMs = result.durationMs;
    return withDone(ledger, { chunks: rangeOf(chunk, chunk + 1), attempt, meanMs });
  }
  if (has(ledger.done, chunk)) return ledger;
  const clean = ledger.failed.has(chunk)
    ? withoutResults(ledger, rangeOf(chunk, chunk + 1))
    : ledger;
  const chunkMs = average(clean.chunkMs, result.durationMs, 1);
  return { ...clean, chunkMs, failed: new Map(clean.failed).set(chunk, { attempt, failure }) };
}

/** As if each of so many chunks had come by itself and taken the mean. */
function average(before: number | null, meanMs: number | null, chunks: number): number | null {
  if (meanMs === null) return before;
  if (before === null) return meanMs;
  return meanMs + (before - meanMs) * (1 - newestWeight) ** chunks;
}

function addTo(
  attempts: ReadonlyMap<number, RangeSet>,
  attempt: number,
  set: RangeSet,
): ReadonlyMap<number, RangeSet> {
  return new Map(attempts).set(attempt, union(attempts.get(attempt) ?? emptyRanges, set));
}

export function resultsOf(ledger: JobLedger): RangeSet {
  return ledger.failed.size === 0
    ? ledger.done
    : union(ledger.done, fromChunks(ledger.failed.keys()));
}

export function hasResults(ledger: JobLedger): boolean {
  return !isEmpty(ledger.done) || ledger.failed.size > 0;
}

/** Acknowledged results, and failures that a later attempt supersedes. */
export function withoutResults(ledger: JobLedger, chunks: RangeSet): JobLedger {
  if (isEmpty(chunks)) return ledger;
  const doneAttempts = new Map<number, RangeSet>();
  for (const [attempt, set] of ledger.doneAttempts) {
    const rest = subtract(set, chunks);
    if (!isEmpty(rest)) doneAttempts.set(attempt, rest);
  }
  const failed = new Map([...ledger.failed].filter(([chunk]) => !has(chunks, chunk)));
  const accepted = ledger.accepted
    .map(({ sequence, chunks: reported }) => ({ sequence, chunks: subtract(reported, chunks) }))
    .filter(({ chunks: reported }) => !isEmpty(reported));
  return {
    ...ledger,
    done: subtract(ledger.done, chunks),
    doneAttempts,
    failed: failed.size === ledger.failed.size ? ledger.failed : failed,
    accepted,
  };
}

/** The broker took report `sequence`, which contained these results. */
export function withAccepted(ledger: JobLedger, sequence: number, chunks: RangeSet): JobLedger {
  let fresh = chunks;
  for (const report of ledger.accepted) fresh = subtract(fresh, report.chunks);
  // What was acknowledged while the report travelled is no longer ours to remember.
  fresh = subtract(fresh, subtract(fresh, resultsOf(ledger)));
  if (isEmpty(fresh)) return ledger;
  return { ...ledger, accepted: [...ledger.accepted, { sequence, chunks: fresh }] };
}

/**
 * The results that need not be reported any more: reported, acknowledged, and no longer asked for.
 */
export function acknowledged(ledger: JobLedger, owned: RangeSet, upTo: number | null): RangeSet {
  let acknowledged = emptyRanges;
  for (const { sequence, chunks } of ledger.accepted) {
    if (upTo === null || sequence <= upTo) acknowledged = union(acknowledged, chunks);
  }
  return subtract(acknowledged, owned);
}

/** Of a job that is not wanted any more nothing stays that says nothing. */
export function forgetResults(
  ledgers: Map<JobId, JobLedger>,
  job: JobId,
  chunks: RangeSet,
  isWanted: boolean,
): void {
  const rest = withoutResults(ledgers.get(job) ?? emptyLedger, chunks);
  if (!hasResults(rest) && !isWanted) ledgers.delete(job);
  else ledgers.set(job, rest);
}
