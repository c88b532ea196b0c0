import { attemptsMax } from '../model/limits.ts';
import { type JobId, parseJobId } from '../model/names.ts';
import { emptyRanges, formatRanges, isEmpty, parseRanges, type RangeSet } from '../model/ranges.ts';
import { isCount, isRecord } from './json.ts';

/**
 * The `work` shadow: everything one edge shall do, written whole by the cloud in `desired` and by
 * nobody else. Short keys, because shadow operations are priced per kilobyte and capped at eight.
 *
 * Every entry repeats the epoch of its write. A shadow merges: a write that was overtaken by a
 * later one puts back what that one removed, and only the epoch tells the leftover from the work.
 */
export type WorkEntry = {
  /** Owned and not yet acknowledged. */
  readonly ranges: RangeSet;
  /** How many may run at once; 0 starts nothing new. */
  readonly slots: number;
  readonly chunkPower: number;
  readonly specHash: string;
  /** Being taken back: not to be started any more; what runs may go on. */
  readonly release: RangeSet;
  /** Attempt numbers above 1. */
  readonly attempts: ReadonlyMap<number, RangeSet>;
};

export type Work = {
  readonly epoch: number;
  /** The highest report sequence that the cloud has applied; `null` when the edge sends none. */
  readonly acknowledgedSequence: number | null;
  readonly jobs: ReadonlyMap<JobId, WorkEntry>;
};

export const noWork: Work = { epoch: 0, acknowledgedSequence: null, jobs: new Map() };

type WorkEntryJson = {
  e: number;
  r: string;
  s: number;
  p: number;
  g: string;
  u: string | null;
  t: string | null;
};

export type WorkJson = { e: number; n: number | null; w: Record<string, WorkEntryJson | null> };

/** `removed` are the jobs of the document before: a merge needs their keys nulled. */
export function encodeWork(work: Work, removed: Iterable<JobId> = []): WorkJson {
  const w: Record<string, WorkEntryJson | null> = {};
  for (const job of removed) if (!work.jobs.has(job)) w[job] = null;
  for (const [job, entry] of work.jobs) {
    w[job] = {
      e: work.epoch,
      r: formatRanges(entry.ranges),
      s: entry.slots,
      p: entry.chunkPower,
      g: entry.specHash,
      u: isEmpty(entry.release) ? null : formatRanges(entry.release),
      t: entry.attempts.size === 0 ? null : encodeAttempts(entry.attempts),
    };
  }
  return { e: work.epoch, n: work.acknowledgedSequence, w };
}

/**
 * One scalar, `2:43,50-52;3:7`: a shadow replaces strings whole, where it would merge an object's
 * keys.
 */
export function encodeAttempts(attempts: ReadonlyMap<number, RangeSet>): string {
  return [...attempts].map(([attempt, set]) => `${attempt}:${formatRanges(set)}`).join(';');
}

/** Reads what arrived; an entry that makes no sense is left out rather than guessed at. */
export function parseWork(value: unknown): Work | null {
  if (!isRecord(value) || !isCount(value.e)) return null;
  const jobs = new Map<JobId, WorkEntry>();
  const w = isRecord(value.w) ? value.w : {};
  for (const [job, raw] of Object.entries(w)) {
    const isLeftover = isRecord(raw) && isCount(raw.e) && raw.e !== value.e;
    const id = parseJobId(job);
    const entry = isLeftover ? null : parseEntry(raw);
    if (id !== null && entry !== null) jobs.set(id, entry);
  }
  return { epoch: value.e, acknowledgedSequence: isCount(value.n) ? value.n : null, jobs };
}

function parseEntry(raw: unknown): WorkEntry | null {
  if (!isRecord(raw) || typeof raw.r !== 'string' || !isCount(raw.s) || typeof raw.p !== 'number')
    return null;
  const ranges = parseRanges(raw.r);
  if (ranges === null) return null;
  const release = typeof raw.u === 'string' ? parseRanges(raw.u) : emptyRanges;
  return {
    ranges,
    slots: raw.s,
    chunkPower: raw.p,
    specHash: typeof raw.g === 'string' ? raw.g : '',
    release: release ?? emptyRanges,
    attempts: parseAttempts(raw.t),
  };
}

export function parseAttempts(value: unknown): ReadonlyMap<number, RangeSet> {
  const out = new Map<number, RangeSet>();
  if (typeof value !== 'string' || value === '') return out;
  for (const part of value.split(';', attemptsMax)) {
    const colon = part.indexOf(':');
    const attempt = Number(part.slice(0, colon));
    const set = colon < 1 ? null : parseRanges(part.slice(colon + 1));
    if (Number.isSafeInteger(attempt) && attempt > 1 && set !== null) out.set(attempt, set);
  }
  return out;
}
