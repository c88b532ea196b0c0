import {
  failureTextLengthMax,
  pollSecondsMax,
  queuedJobsMax,
  reasonLengthMax,
  reportFailuresMax,
} from '../model/limits.ts';
import { type JobId, parseJobId } from '../model/names.ts';
import { emptyRanges, formatRanges, parseRanges, type RangeSet } from '../model/ranges.ts';
import { encodeInstancePorts, type InstancePorts, parseInstancePorts } from './instance-ports.ts';
import { isCount, isRecord } from './json.ts';
import { encodePercents, type Percents, parsePercents } from './percents.ts';
import { encodeAttempts, parseAttempts } from './work.ts';

/** Why a chunk failed: its exit code, or a short text such as `signal SIGKILL` or `timeout`. */
export type Failure = number | string;

/** What an edge says of one job: whole and cumulative until acknowledged. */
export type JobProgress = {
  readonly done: RangeSet;
  readonly failed: ReadonlyMap<number, Failure>;
  readonly running: RangeSet;
  readonly attempts: ReadonlyMap<number, RangeSet>;
  /** Measured milliseconds per chunk; `null` before the first has ended. */
  readonly chunkMs: number | null;
  /** This edge will not run this job, and why. */
  readonly refused: string | null;
  /** How far some of the running chunks are; absent where none says so. */
  readonly percents?: Percents;
  /** Instances of a service that are ready; absent of other jobs. */
  readonly ready?: RangeSet;
  /** Where its instances are reached here; absent of a service that has no ports. */
  readonly ports?: InstancePorts;
};

/** Of a job that a report does not name. */
export const noProgress: JobProgress = {
  done: emptyRanges,
  failed: new Map(),
  running: emptyRanges,
  attempts: new Map(),
  chunkMs: null,
  refused: null,
};

/** The `prog` shadow: written by the edge in `reported` and by nobody else. */
export type ProgressReport = {
  readonly boot: string;
  /** The epoch of the work document that this report has applied. */
  readonly epoch: number;
  /** Grows with every report, over restarts too; `null` from a client that keeps none. */
  readonly sequence: number | null;
  readonly freePower: number;
  readonly jobs: ReadonlyMap<JobId, JobProgress>;
  /** How often the edge asks for its work over HTTPS, at most so long apart. */
  readonly pollSeconds?: number;
  /** The agent stops in order: what it does not name as running it gives back. */
  readonly goodbye?: true;
  /** Several starts before this one ended without contact, whatever they ran. */
  readonly diedWithoutContact?: true;
  /** Jobs that stand in a queue of the edge's own. */
  readonly queued?: readonly JobId[];
};

type JobProgressJson = {
  d: string;
  x: Record<string, Failure | null> | null;
  a: string;
  t: string | null;
  m: number | null;
  q: string | null;
  p: string | null;
  y?: string;
  o?: string;
};

export type ProgressReportJson = {
  b: string;
  e: number;
  n: number | null;
  f: number;
  w: Record<string, JobProgressJson | null>;
  i?: number;
  /** The boot that says goodbye: a shadow keeps it, and it says nothing of the next one. */
  z?: string;
  /** As `z`, the boot that others before it ended without contact. */
  u?: string;
  q?: readonly string[] | null;
};

/**
 * `before` is the report last accepted: a shadow merges, so what is gone must be nulled by name.
 */
export function encodeProgressReport(
  progress: ProgressReport,
  before: ProgressReport | null = null,
): ProgressReportJson {
  const w: Record<string, JobProgressJson | null> = {};
  for (const job of before?.jobs.keys() ?? []) if (!progress.jobs.has(job)) w[job] = null;
  for (const [job, entry] of progress.jobs) w[job] = encodeEntry(entry, before?.jobs.get(job));
  const { boot, epoch, sequence, freePower, pollSeconds, goodbye, diedWithoutContact } = progress;
  return {
    b: boot,
    e: epoch,
    n: sequence,
    f: freePower,
    w,
    ...(pollSeconds !== undefined && { i: pollSeconds }),
    ...(goodbye && { z: boot }),
    ...(diedWithoutContact && { u: boot }),
    ...queuedLetter(progress, before),
  };
}

/** A list is replaced whole; one that is over is nulled. */
function queuedLetter(progress: ProgressReport, before: ProgressReport | null) {
  if (progress.queued !== undefined) return { q: progress.queued };
  return before?.queued === undefined ? {} : { q: null };
}

function encodeEntry(entry: JobProgress, before: JobProgress | undefined): JobProgressJson {
  const x: Record<string, Failure | null> = {};
  for (const chunk of before?.failed.keys() ?? []) if (!entry.failed.has(chunk)) x[chunk] = null;
  for (const [chunk, failure] of entry.failed) x[chunk] = failure;
  return {
    d: formatRanges(entry.done),
    x: entry.failed.size === 0 ? null : x,
    a: formatRanges(entry.running),
    t: entry.attempts.size === 0 ? null : encodeAttempts(entry.attempts),
    m: entry.chunkMs === null ? null : Math.round(entry.chunkMs),
    q: entry.refused,
    p: entry.percents === undefined ? null : encodePercents(entry.percents),
    ...(entry.ready !== undefined && { y: formatRanges(entry.ready) }),
    ...(entry.ports !== undefined && { o: encodeInstancePorts(entry.ports) }),
  };
}

/**
 * Reads a report as hostile input: `null` when it is not one; entries that make no sense are left
 * out.
 */
export function parseProgressReport(value: unknown): ProgressReport | null {
  if (!isRecord(value) || !isCount(value.e)) return null;
  const jobs = new Map<JobId, JobProgress>();
  const w = isRecord(value.w) ? value.w : {};
  for (const [job, raw] of Object.entries(w)) {
    const id = parseJobId(job);
    const entry = parseEntry(raw);
    if (id !== null && entry !== null) jobs.set(id, entry);
  }
  const boot = typeof value.b === 'string' ? value.b.slice(0, failureTextLengthMax) : '';
  const pollSeconds = isCount(value.i) && value.i > 0 ? Math.min(value.i, pollSecondsMax) : null;
  return {
    boot,
    epoch: value.e,
    sequence: isCount(value.n) ? value.n : null,
    freePower: typeof value.f === 'number' && Number.isFinite(value.f) ? value.f : 0,
    jobs,
    ...(pollSeconds !== null && { pollSeconds }),
    ...(boot !== '' && value.z === boot && { goodbye: true as const }),
    ...(boot !== '' && value.u === boot && { diedWithoutContact: true as const }),
    ...queuedOf(value.q),
  };
}

function queuedOf(value: unknown): Pick<ProgressReport, 'queued'> {
  if (!Array.isArray(value)) return {};
  const ids = value.slice(0, queuedJobsMax).map((id) => (typeof id === 'string' ? id : ''));
  return { queued: ids.map(parseJobId).filter((id) => id !== null) };
}

function parseEntry(raw: unknown): JobProgress | null {
  if (!isRecord(raw)) return null;
  const done = ranges(raw.d);
  const running = ranges(raw.a);
  if (done === null || running === null) return null;
  const percents = parsePercents(raw.p);
  const ready = typeof raw.y === 'string' ? parseRanges(raw.y) : null;
  const ports = parseInstancePorts(raw.o);
  return {
    done,
    running,
    failed: parseFailures(raw.x),
    attempts: parseAttempts(raw.t),
    chunkMs: typeof raw.m === 'number' && Number.isFinite(raw.m) && raw.m >= 0 ? raw.m : null,
    refused: typeof raw.q === 'string' && raw.q !== '' ? raw.q.slice(0, reasonLengthMax) : null,
    ...(percents.size > 0 && { percents }),
    ...(ready !== null && { ready }),
    ...(ports.size > 0 && { ports }),
  };
}

function ranges(value: unknown): RangeSet | null {
  if (value === undefined || value === null) return emptyRanges;
  return typeof value === 'string' ? parseRanges(value) : null;
}

function parseFailures(value: unknown): ReadonlyMap<number, Failure> {
  const out = new Map<number, Failure>();
  if (!isRecord(value)) return out;
  for (const [key, failure] of Object.entries(value)) {
    const chunk = Number(key);
    if (!isCount(chunk) || out.size >= reportFailuresMax) continue;
    if (typeof failure === 'number' && Number.isInteger(failure)) out.set(chunk, failure);
    else if (typeof failure === 'string') out.set(chunk, failure.slice(0, failureTextLengthMax));
  }
  return out;
}
