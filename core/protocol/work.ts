import { attemptsMax, inlineSpecBytesMax } from '../model/limits.ts';
import { type JobId, parseJobId } from '../model/names.ts';
import { emptyRanges, formatRanges, isEmpty, parseRanges, type RangeSet } from '../model/ranges.ts';
import { generationsHeldMax } from '../services/limits.ts';
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
  /**
   * The spec itself, as JSON without its id and hash: of a small job, and only in the document that
   * gives it. Everyone else fetches it by the hash.
   */
  readonly inlineSpec: string | null;
  /**
   * Of a service: what runs by which generation, with the hash of each, where these are several;
   * empty where all run by `specHash`.
   */
  readonly generations?: Generations;
};

export type Generations = ReadonlyMap<
  number,
  { readonly specHash: string; readonly ranges: RangeSet }
>;

export type Work = {
  readonly epoch: number;
  /** The highest report sequence that the cloud has applied; `null` when the edge sends none. */
  readonly acknowledgedSequence: number | null;
  readonly jobs: ReadonlyMap<JobId, WorkEntry>;
  /** Whether another agent uses the identity of this one; absent where none ever did. */
  readonly doubled?: boolean;
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
  j: string | null;
  h?: string | null;
  k?: string | null;
};

export type WorkJson = {
  e: number;
  n: number | null;
  w: Record<string, WorkEntryJson | null>;
  /** A shadow keeps what nobody nulls. */
  o?: 1 | null;
  /** Whose output is wanted while it is printed: `core/live/live-wishes.ts`, written beside. */
  l?: string;
};

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
      j: entry.inlineSpec,
      ...(entry.generations !== undefined && encodeGenerations(entry.generations)),
    };
  }
  const document = { e: work.epoch, n: work.acknowledgedSequence, w };
  return work.doubled === undefined ? document : { ...document, o: work.doubled ? 1 : null };
}

/**
 * One scalar, `2:43,50-52;3:7`: a shadow replaces strings whole, where it would merge an object's
 * keys.
 */
export function encodeAttempts(attempts: ReadonlyMap<number, RangeSet>): string {
  return [...attempts].map(([attempt, set]) => `${attempt}:${formatRanges(set)}`).join(';');
}

/**
 * What the document before said inline and this one says no more, of jobs that are in both: an edge
 * goes on without an uplink by what it was once given.
 */
export function keepInlineSpecs(before: Work, next: Work): Work {
  let jobs: Map<JobId, WorkEntry> | null = null;
  for (const [id, entry] of next.jobs) {
    const known = before.jobs.get(id);
    if (entry.inlineSpec !== null || known?.specHash !== entry.specHash) continue;
    if (known.inlineSpec === null) continue;
    jobs ??= new Map(next.jobs);
    jobs.set(id, { ...entry, inlineSpec: known.inlineSpec });
  }
  return jobs === null ? next : { ...next, jobs };
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
  return {
    epoch: value.e,
    acknowledgedSequence: isCount(value.n) ? value.n : null,
    jobs,
    ...(value.o === 1 && { doubled: true }),
  };
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
    inlineSpec: typeof raw.j === 'string' && raw.j.length <= inlineSpecBytesMax ? raw.j : null,
    ...(raw.h !== undefined && { generations: parseGenerations(raw.h, raw.k) }),
  };
}

/** `3:0-1;4:2`, and the hash of each beside it: `3:abc;4:def`. */
export function encodeGenerations(generations: Generations): {
  h: string | null;
  k: string | null;
} {
  if (generations.size === 0) return { h: null, k: null };
  const held = [...generations];
  return {
    h: held.map(([number, { ranges }]) => `${number}:${formatRanges(ranges)}`).join(';'),
    k: held.map(([number, { specHash }]) => `${number}:${specHash}`).join(';'),
  };
}

function parseGenerations(h: unknown, k: unknown): Generations {
  const found = new Map<number, { specHash: string; ranges: RangeSet }>();
  if (typeof h !== 'string' || typeof k !== 'string') return found;
  const hashes = new Map(k.split(';', generationsHeldMax).map(numbered));
  for (const [number, text] of h.split(';', generationsHeldMax).map(numbered)) {
    const ranges = parseRanges(text);
    const specHash = hashes.get(number);
    if (ranges !== null && specHash !== undefined) found.set(number, { specHash, ranges });
  }
  return found;
}

function numbered(part: string): [number, string] {
  const colon = part.indexOf(':');
  return [Number(part.slice(0, colon)), part.slice(colon + 1)];
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
