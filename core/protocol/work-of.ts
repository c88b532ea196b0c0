import type { CellJob, EdgeWork, Lease, Slice } from '../model/cell.ts';
import type { Run } from '../model/job.ts';
import { inlineSpecBytesMax, workBytesMax } from '../model/limits.ts';
import type { JobId } from '../model/names.ts';
import {
  emptyRanges,
  formatRanges,
  has,
  intersect,
  isEmpty,
  type RangeSet,
  rangeOf,
  subtract,
  union,
} from '../model/ranges.ts';
import { isDoubled } from '../model/starts.ts';
import { knownGeneration } from '../services/in-effect.ts';
import { generationsOf, type Rollout } from '../services/rollout.ts';
import { inlineAgentSpec } from './agent-spec.ts';
import { encodeAttempts, encodeGenerations, type Work, type WorkEntry } from './work.ts';

/** What the `work` shadow of an edge says, whole, from the committed rows. */
export function workOf(work: EdgeWork, jobs: ReadonlyMap<JobId, CellJob>): Work {
  const entries = new Map<JobId, WorkEntry>();
  let bytes = envelopeBytes;
  for (const [id, lease] of work.leases) {
    const job = jobs.get(id);
    if (job === undefined || isEmpty(lease.ranges)) continue;
    const entry = entryOf(lease, job);
    entries.set(id, entry);
    bytes += bytesOfEntry(id, entry);
  }
  for (const id of work.removed) if (!entries.has(id)) bytes += removalBytes(id);
  for (const [id, entry] of entries) {
    const inlineSpec = isNew(work, id) ? inlineSpecOf(id, jobs) : null;
    if (inlineSpec === null) continue;
    bytes += utf8Bytes(JSON.stringify(inlineSpec));
    if (bytes > workBytesMax) break;
    entries.set(id, { ...entry, inlineSpec });
  }
  const { epoch, acknowledgedSequence, starts } = work;
  const wasDoubled = (starts?.doubledAtMs ?? null) !== null;
  const doubled = wasDoubled && { doubled: isDoubled(starts) };
  return { epoch, acknowledgedSequence, jobs: entries, ...doubled };
}

/**
 * Given by this very document. A write that is lost is repeated under a later epoch, without specs:
 * then the edge asks for them.
 */
function isNew(work: EdgeWork, id: JobId): boolean {
  return work.leases.get(id)?.grantedAtMs === work.writtenAtMs;
}

/**
 * Small specs travel with the work, so that the first chunk starts one round trip earlier. Never
 * with an environment: that is where people put secrets, and a shadow is no place for them.
 */
function inlineSpecOf(id: JobId, jobs: ReadonlyMap<JobId, CellJob>): string | null {
  const intent = jobs.get(id)?.intent;
  if (intent === undefined || intent.createdBy === null) return null;
  // What is inline is what is wanted now, and the entry may name another one.
  if (intent.rollout !== undefined) return null;
  const { spec, chunking, createdBy } = intent;
  if (spec.signed === true) return null;
  const text = inlineAgentSpec(spec, chunking, createdBy);
  return hasEnvironment(spec.run) || utf8Bytes(text) > inlineSpecBytesMax ? null : text;
}

function utf8Bytes(text: string): number {
  return new TextEncoder().encode(text).length;
}

function hasEnvironment(run: Run): boolean {
  const bodies: readonly { readonly env?: Readonly<Record<string, string>> }[] =
    'pod' in run ? run.pod.containers : 'simulate' in run ? [] : Object.values(run);
  return bodies.some(({ env }) => env !== undefined && Object.keys(env).length > 0);
}

function bytesOfEntry(id: JobId, entry: WorkEntry): number {
  const texts = { ranges: formatRanges(entry.ranges), release: formatRanges(entry.release) };
  return entryBytes(id, entry.specHash, texts, entry.attempts) + generationBytes(entry);
}

function entryOf(lease: Lease, { intent, slice }: CellJob): WorkEntry {
  const { specHash, ...generations } = generationsIn(lease.ranges, { intent, slice });
  return {
    inlineSpec: null,
    ranges: lease.ranges,
    slots: lease.slots,
    chunkPower: intent.chunking.chunkPower,
    specHash,
    ...generations,
    release: intersect(lease.reclaiming, lease.ranges),
    attempts: attemptsOf(lease.ranges, slice),
  };
}

/**
 * By which spec each of these is to run. A generation of which nothing is known any more goes by
 * the one wanted.
 */
export function generationsIn(
  ranges: RangeSet,
  {
    intent,
    slice,
  }: Pick<CellJob, 'intent'> & { readonly slice: { readonly rollout?: Rollout | undefined } },
): Pick<WorkEntry, 'specHash' | 'generations'> {
  if (intent.spec.restart === undefined) return { specHash: intent.specHash };
  if (intent.rollout === undefined) return { specHash: intent.specHash, generations: new Map() };
  const target = knownGeneration(intent, slice.rollout?.generation ?? 1);
  const wanted = target?.specHash ?? intent.specHash;
  const held = [...generationsOf(slice.rollout, ranges)].map(([number, some]) => {
    const specHash = knownGeneration(intent, number)?.specHash ?? wanted;
    return [number, { specHash, ranges: some }] as const;
  });
  const [only] = held;
  if (held.length === 1) return { specHash: only![1].specHash, generations: new Map() };
  return { specHash: wanted, generations: new Map(held) };
}

/** Attempt numbers above 1 of these chunks. */
export function attemptsOf(
  ranges: RangeSet,
  slice: Pick<Slice, 'retries' | 'revived' | 'attemptBase'>,
): ReadonlyMap<number, RangeSet> {
  const attempts = new Map<number, RangeSet>();
  let retried = emptyRanges;
  for (const [chunk, retry] of slice.retries) {
    if (!has(ranges, chunk)) continue;
    const one = rangeOf(chunk, chunk + 1);
    retried = union(retried, one);
    attempts.set(retry.failures + 1, union(attempts.get(retry.failures + 1) ?? emptyRanges, one));
  }
  const revived = subtract(intersect(ranges, slice.revived), retried);
  if (!isEmpty(revived)) {
    const attempt = slice.attemptBase + 1;
    attempts.set(attempt, union(attempts.get(attempt) ?? emptyRanges, revived));
  }
  return attempts;
}

/**
 * Bytes of one job's entry in the document without its ranges: keys, id, hash and numbers at their
 * longest.
 */
const entryBytesBase = 101;

/** What naming generations takes besides: keys and texts. */
export function generationBytes({ generations }: Pick<WorkEntry, 'generations'>): number {
  if (generations === undefined) return 0;
  return JSON.stringify(encodeGenerations(generations)).length;
}

/** The envelope of the document: epoch, sequence and braces. */
export const envelopeBytes = 64;

/** What it takes to remove one: a merge wants its key nulled. */
export const removalBytes = (id: JobId): number => id.length + '"":null,'.length;

/** An upper bound of what this entry takes of the document. */
export function entryBytes(
  id: JobId,
  specHash: string,
  texts: { readonly ranges: string; readonly release: string },
  attempts: ReadonlyMap<number, RangeSet>,
): number {
  const retried = attempts.size === 0 ? 0 : encodeAttempts(attempts).length;
  return (
    entryBytesBase +
    id.length +
    specHash.length +
    texts.ranges.length +
    texts.release.length +
    retried
  );
}
