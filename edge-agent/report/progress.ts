import { failureTextLengthMax, queuedJobsMax, reportFailuresMax } from '../../core/model/limits.ts';
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
import { encodeInstancePorts, type InstancePorts } from '../../core/protocol/instance-ports.ts';
import { instancePortsLengthMax } from '../../core/protocol/limits.ts';
import {
  encodePercents,
  noPercents,
  type Percents,
  runningPercents,
} from '../../core/protocol/percents.ts';
import type { JobProgress, ProgressReport } from '../../core/protocol/progress-report.ts';
import type { Work } from '../../core/protocol/work.ts';
import type { GivenPorts } from '../../core/services/service-port.ts';
import { emptyLedger, hasResults, type JobLedger } from '../edge/ledger.ts';
import { type RunningChunk, startable } from '../edge/next-steps.ts';
import type { ChunkName } from '../executors/executor.ts';
import { progressBytesMax } from '../limits.ts';

/**
 * What the edge says now: whole and cumulative, composed from the ledgers and from what runs.
 *
 * A report has a size. What does not fit is left out, the highest chunks first, and reported when
 * the cloud has acknowledged the others; a chunk that is left out is, to the cloud, one that this
 * edge still owes.
 */
export type ProgressView = {
  readonly boot: string;
  readonly epoch: number;
  readonly freePower: number;
  /** Whether a chunk was handed over to another scheduler and has not begun there. */
  readonly waits?: (name: Omit<ChunkName, 'edge'>) => boolean;
  readonly ledgers: ReadonlyMap<JobId, JobLedger>;
  readonly running: ReadonlyMap<JobId, ReadonlyMap<number, RunningChunk>>;
  readonly refusals: ReadonlyMap<JobId, string>;
  /** How far chunks say they are. */
  readonly percents: ReadonlyMap<JobId, Percents>;
  /** Instances of services that are ready. */
  readonly ready: ReadonlyMap<JobId, RangeSet>;
  /** Of services that have ports. */
  readonly ports: ReadonlyMap<JobId, InstancePorts>;
  /** The jobs that it has and of which chunks may still be started. */
  readonly work: Work['jobs'];
  /** How often it asks for its work; `null` over MQTT, where it does not. */
  readonly pollSeconds: number | null;
  /** It stops in order, and this is its last report. */
  readonly isLeaving: boolean;
  /** Several starts before this one ended without contact. */
  readonly diedWithoutContact: boolean;
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
    const running = runningChunks(job, view);
    const refused = view.refusals.get(job) ?? null;
    if (!hasResults(ledger) && running.length === 0 && refused === null) continue;
    const entry = composeEntry(ledger, running, view.running.get(job), refused, room);
    if (entry === null) break;
    const percents = fittingPercents(view.percents.get(job) ?? noPercents, entry.running, room);
    const ready = fittingReady(view.ready.get(job), entry.running, room);
    const ports = fittingPorts(view.ports.get(job), entry.running, room);
    jobs.set(job, { ...entry, ...(percents.size > 0 && { percents }), ...ready, ...ports });
    const reported = union(entry.done, fromChunks(entry.failed.keys()));
    if (!isEmpty(reported)) results.set(job, reported);
  }
  const progress: ProgressReport = {
    boot: view.boot,
    epoch: view.epoch,
    sequence,
    freePower: view.freePower,
    jobs,
    ...(view.pollSeconds !== null && { pollSeconds: view.pollSeconds }),
    ...(view.diedWithoutContact && { diedWithoutContact: true as const }),
    ...(view.isLeaving ? { goodbye: true as const } : queuedIn(view, room)),
  };
  return { progress, results };
}

/**
 * Jobs of which nothing runs yet, though there is something to start: they wait for power, or for
 * what they need. An edge that took them by itself shows with it that it has them.
 */
function queuedIn(view: ProgressView, room: Room): Pick<ProgressReport, 'queued'> {
  const queued: JobId[] = [];
  for (const [job, entry] of view.work) {
    const running = view.running.get(job);
    if (entry.slots === 0 || view.refusals.has(job) || runningChunks(job, view).length > 0)
      continue;
    if (isEmpty(startable(entry, view.ledgers.get(job) ?? emptyLedger, running))) continue;
    room.bytes -= job.length + quotedBytes;
    if (room.bytes < 0 || queued.length === queuedJobsMax) break;
    queued.push(job);
  }
  return queued.length === 0 ? {} : { queued };
}

type Room = { bytes: number; failures: number };

/** Job id, keys and punctuation of one entry. */
const entryBytes = 120;
/** The longest a chunk number or an interval usually is, with its comma. */
const intervalBytes = 16;
const failureBytes = 14;
/** Quotation marks and a comma. */
const quotedBytes = 3;

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
  const reported = { done, failed: fromChunks(failed.keys()), active };
  return {
    done,
    failed,
    running: active,
    attempts: attemptsOf(ledger, runningChunkOf, reported),
    chunkMs: ledger.chunkMs,
    refused,
  };
}

/** Of a service always, because a shadow keeps what nobody replaces. */
function fittingReady(
  ready: RangeSet | undefined,
  running: RangeSet,
  room: Room,
): Pick<JobProgress, 'ready'> {
  if (ready === undefined) return {};
  return { ready: fitting(intersect(ready, running), room, intervalBytes) };
}

/** Always, as above; what does not fit is left out. */
function fittingPorts(
  ports: InstancePorts | undefined,
  running: RangeSet,
  room: Room,
): Pick<JobProgress, 'ports'> {
  if (ports === undefined) return {};
  const kept = new Map<number, GivenPorts>();
  let left = Math.min(room.bytes, instancePortsLengthMax);
  for (const [chunk, given] of ports) {
    const bytes = encodeInstancePorts(new Map([[chunk, given]])).length + 1;
    if (bytes > left || !has(running, chunk)) continue;
    left -= bytes;
    room.bytes -= bytes;
    kept.set(chunk, given);
  }
  return { ports: kept };
}

function fittingPercents(percents: Percents, running: RangeSet, room: Room): Percents {
  const known = runningPercents(percents, running);
  const bytes = known.size === 0 ? 0 : encodePercents(known).length;
  if (bytes > room.bytes) return noPercents;
  room.bytes -= bytes;
  return known;
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
  reported: { done: RangeSet; failed: RangeSet; active: RangeSet },
): ReadonlyMap<number, RangeSet> {
  const out = new Map<number, RangeSet>();
  const add = (attempt: number, set: RangeSet): void => {
    if (attempt > 1 && !isEmpty(set)) {
      out.set(attempt, union(out.get(attempt) ?? emptyRanges, set));
    }
  };
  for (const [attempt, set] of ledger.doneAttempts) add(attempt, intersect(set, reported.done));
  for (const [chunk, { attempt }] of ledger.failed) {
    if (attempt > 1 && has(reported.failed, chunk)) add(attempt, rangeOf(chunk, chunk + 1));
  }
  for (const [chunk, { attempt }] of running ?? []) {
    if (attempt > 1 && has(reported.active, chunk)) add(attempt, rangeOf(chunk, chunk + 1));
  }
  return out;
}

/**
 * A chunk that is being stopped is not reported as running: the control plane has already taken it
 * away. Nor is one that waits elsewhere, unless the edge leaves: that one it does not give back.
 */
function runningChunks(job: JobId, view: ProgressView): RangeSet {
  const chunks: number[] = [];
  for (const [chunk, { attempt, stopping }] of view.running.get(job) ?? []) {
    const isWaiting = !view.isLeaving && view.waits?.({ job, chunk, attempt }) === true;
    if (!stopping && !isWaiting) chunks.push(chunk);
  }
  return fromChunks(chunks);
}
