import { failureTextLengthMax, reportFailuresMax } from '../../core/model/limits.ts';
import type { JobId } from '../../core/model/names.ts';
import {
  emptyRanges,
  firstIntervals,
  fromChunks,
  has,
  intersect,
  intervals,
  isEmpty,
  type RangeSet,
  rangeOf,
  union,
} from '../../core/model/ranges.ts';
import type { JobProgress, ProgressReport } from '../../core/protocol/progress-report.ts';
import { emptyLedger, hasResults, type JobLedger } from '../edge/ledger.ts';
import type { RunningChunk } from '../edge/next-steps.ts';
import { progressBytesMax } from '../limits.ts';

/**
 * What the edge says now: whole and cumulative, composed from the ledgers and from what runs.
 *
 * A report has a size. What does not fit is left out, the highest chunks first, and told when the
 * cloud has acknowledged the others; a chunk that is left out is, to the cloud, one that this
 * edge still owes.
 */
export type ProgressView = {
  readonly boot: string;
  readonly epoch: number;
  readonly freePower: number;
  readonly ledgers: ReadonlyMap<JobId, JobLedger>;
  readonly running: ReadonlyMap<JobId, ReadonlyMap<number, RunningChunk>>;
  readonly refusals: ReadonlyMap<JobId, string>;
};

export type Composed = {
  readonly progress: ProgressReport;
  /** The results that this report contains, by job. */
  readonly results: ReadonlyMap<JobId, RangeSet>;
};

export function composeProgress(view: ProgressView, sequence: number): Composed {
  const jobs = new Map<JobId, JobProgress>();
  const results = new Map<JobId, RangeSet>();
  const room = { bytes: progressBytesMax, failures: reportFailuresMax };
  const names = new Set([...view.ledgers.keys(), ...view.running.keys(), ...view.refusals.keys()]);
  for (const job of names) {
    const ledger = view.ledgers.get(job) ?? emptyLedger;
    const running = runningChunks(view.running.get(job));
    const refused = view.refusals.get(job) ?? null;
    if (!hasResults(ledger) && running.length === 0 && refused === null) continue;
    const entry = composeEntry(ledger, running, view.running.get(job), refused, room);
    if (entry === null) break;
    jobs.set(job, entry);
    const told = union(entry.done, fromChunks(entry.failed.keys()));
    if (!isEmpty(told)) results.set(job, told);
  }
  const progress: ProgressReport = {
    boot: view.boot,
    epoch: view.epoch,
    sequence,
    freePower: view.freePower,
    jobs,
  };
  return { progress, results };
}

type Room = { bytes: number; failures: number };

/** Job id, keys and punctuation of one entry. */
const entryBytes = 110;
/** The longest a chunk number or an interval usually is, with its comma. */
const intervalBytes = 16;
const failureBytes = 14;

function composeEntry(
  ledger: JobLedger,
  running: RangeSet,
  runningChunkOf: ReadonlyMap<number, RunningChunk> | undefined,
  refused: string | null,
  room: Room,
): JobProgress | null {
  if (room.bytes < entryBytes + intervalBytes) return null;
  room.bytes -= entryBytes + (refused?.length ?? 0);
  // A chunk of a later attempt is named twice.
  const isRetry = hasLaterAttempts(ledger, runningChunkOf);
  const each = isRetry ? 2 * intervalBytes : intervalBytes;
  const done = fitting(ledger.done, room, each);
  const failed = new Map<number, string | number>();
  for (const chunk of [...ledger.failed.keys()].sort((a, b) => a - b)) {
    const { failure } = ledger.failed.get(chunk)!;
    const short = typeof failure === 'string' ? failure.slice(0, failureTextLengthMax) : failure;
    const bytes =
      failureBytes +
      (isRetry ? intervalBytes : 0) +
      (typeof short === 'string' ? JSON.stringify(short).length : 3);
    if (room.failures <= 0 || room.bytes < bytes) break;
    room.failures -= 1;
    room.bytes -= bytes;
    failed.set(chunk, short);
  }
  const active = fitting(running, room, each);
  const told = { done, failed: fromChunks(failed.keys()), active };
  return {
    done,
    failed,
    running: active,
    attempts: attemptsOf(ledger, runningChunkOf, told),
    chunkMs: ledger.chunkMs,
    refused,
  };
}

function hasLaterAttempts(
  ledger: JobLedger,
  running: ReadonlyMap<number, RunningChunk> | undefined,
): boolean {
  if (ledger.doneAttempts.size > 0) return true;
  for (const { attempt } of ledger.failed.values()) if (attempt > 1) return true;
  for (const { attempt } of running?.values() ?? []) if (attempt > 1) return true;
  return false;
}

function fitting(set: RangeSet, room: Room, each: number): RangeSet {
  const kept = firstIntervals(set, Math.max(0, Math.floor(room.bytes / each)));
  room.bytes -= intervals(kept) * each;
  return kept;
}

function attemptsOf(
  ledger: JobLedger,
  running: ReadonlyMap<number, RunningChunk> | undefined,
  told: { done: RangeSet; failed: RangeSet; active: RangeSet },
): ReadonlyMap<number, RangeSet> {
  const out = new Map<number, RangeSet>();
  const add = (attempt: number, set: RangeSet): void => {
    if (attempt > 1 && !isEmpty(set)) {
      out.set(attempt, union(out.get(attempt) ?? emptyRanges, set));
    }
  };
  for (const [attempt, set] of ledger.doneAttempts) add(attempt, intersect(set, told.done));
  for (const [chunk, { attempt }] of ledger.failed) {
    if (has(told.failed, chunk)) add(attempt, rangeOf(chunk, chunk + 1));
  }
  for (const [chunk, { attempt }] of running ?? []) {
    if (has(told.active, chunk)) add(attempt, rangeOf(chunk, chunk + 1));
  }
  return out;
}

/** A chunk that was told to stop is not said to run: the cloud has already taken it away. */
function runningChunks(running: ReadonlyMap<number, RunningChunk> | undefined): RangeSet {
  if (running === undefined) return emptyRanges;
  const chunks: number[] = [];
  for (const [chunk, { stopping }] of running) if (!stopping) chunks.push(chunk);
  return fromChunks(chunks);
}
