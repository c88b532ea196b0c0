import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shadowBytesMax } from '../../../core/model/limits.ts';
import { type JobId, jobIdOf } from '../../../core/model/names.ts';
import {
  emptyRanges,
  fromChunks,
  has,
  isEmpty,
  rangeOf,
  subtract,
} from '../../../core/model/ranges.ts';
import {
  encodeProgressReport,
  parseProgressReport,
} from '../../../core/protocol/progress-report.ts';
import type { WorkEntry } from '../../../core/protocol/work.ts';
import { emptyLedger, type JobLedger, withResult } from '../../../edge-agent/edge/ledger.ts';
import { composeProgress, type ProgressView } from '../../../edge-agent/report/progress.ts';
import { makeProgressPatch } from '../../../edge-agent/report/progress-patch.ts';

const job = jobIdOf('job-0');

function ledgerOf(done: readonly number[], failed: readonly number[], attempt: number): JobLedger {
  let ledger = emptyLedger;
  for (const chunk of done) {
    ledger = withResult(ledger, { chunk, attempt, failure: null, durationMs: 12 });
  }
  for (const chunk of failed) {
    const failure = 'start-failed: a rather long reason that has to be cut somewhere, surely "so"';
    ledger = withResult(ledger, { chunk, attempt, failure, durationMs: 12 });
  }
  return ledger;
}

function viewOf(ledgers: ReadonlyMap<JobId, JobLedger>, running: readonly number[]): ProgressView {
  const one = { attempt: 2, power: 5, stopping: false };
  const active = new Map(running.map((chunk) => [chunk, one] as const));
  return {
    boot: 'boot',
    epoch: 9,
    freePower: 1,
    ledgers,
    running: active.size === 0 ? new Map() : new Map([[job, active]]),
    refusals: new Map(),
    percents: new Map([[job, new Map(running.slice(0, 64).map((chunk) => [chunk, 42]))]]),
    ready: new Map(),
    ports: new Map([
      [
        job,
        new Map(running.map((chunk) => [chunk, new Map([['http', 45_000 + (chunk % 5_000)]])])),
      ],
    ]),
    work: new Map(),
    pollSeconds: null,
    isLeaving: false,
    diedWithoutContact: false,
  };
}

function entryOf(chunks: number): WorkEntry {
  return {
    ranges: rangeOf(0, chunks),
    slots: chunks,
    chunkPower: 5,
    specHash: 'hash',
    release: emptyRanges,
    attempts: new Map(),
    inlineSpec: null,
  };
}

test('a report has all results, and what runs', () => {
  const ledgers = new Map([[job, ledgerOf([0, 1, 2], [7], 1)]]);
  const { progress, results } = composeProgress(viewOf(ledgers, [8]), 58);
  const json = encodeProgressReport(progress);
  expect(json).toMatchObject({ b: 'boot', e: 9, n: 58, f: 1 });
  expect(json.w['job-0']).toMatchObject({ d: '0-2', a: '8', t: '2:8', m: 12 });
  expect(results.get(job)).toEqual(fromChunks([0, 1, 2, 7]));
});

test('a report over HTTPS says how often the edge asks, and the last one that it leaves', () => {
  const plain = composeProgress(viewOf(new Map(), []), 1).progress;
  expect(encodeProgressReport(plain)).toEqual({ b: 'boot', e: 9, n: 1, f: 1, w: {} });
  const view = { ...viewOf(new Map(), []), pollSeconds: 4, isLeaving: true };
  const last = composeProgress(view, 2).progress;
  expect(encodeProgressReport(last)).toMatchObject({ i: 4, z: 'boot' });
});

test('a start that comes after some without contact says so, and no other takes it for itself', () => {
  const view = { ...viewOf(new Map(), []), diedWithoutContact: true };
  const json = encodeProgressReport(composeProgress(view, 1).progress);
  expect(json).toMatchObject({ b: 'boot', u: 'boot' });
  expect(parseProgressReport(json)?.diedWithoutContact).toBe(true);
  expect(parseProgressReport({ ...json, b: 'next' })?.diedWithoutContact).toBeUndefined();
});

test('a chunk that is being stopped is not said to run', () => {
  const stopping = new Map([[3, { attempt: 1, power: 5, stopping: true }]]);
  const view = { ...viewOf(new Map(), []), running: new Map([[job, stopping]]) };
  expect(composeProgress(view, 1).progress.jobs.size).toBe(0);
});

test('what waits here is named, what runs, is refused or has nothing left is not', () => {
  const ids = ['waits', 'half', 'runs', 'refused', 'over', 'back', 'held'].map(jobIdOf);
  const [waits, half, runs, refused, over, back, held] = ids;
  const entry = entryOf(4);
  const work = new Map(ids.map((id) => [id, entry]));
  work.set(back!, { ...entry, release: entry.ranges }).set(held!, { ...entry, slots: 0 });
  const one = { attempt: 1, power: 5, stopping: false };
  const view = {
    ...viewOf(new Map(), []),
    work,
    ledgers: new Map([
      [half!, ledgerOf([0, 1], [], 1)],
      [over!, ledgerOf([0, 1, 2, 3], [], 1)],
    ]),
    running: new Map([[runs!, new Map([[0, one]])]]),
    refusals: new Map([[refused!, 'no such executor']]),
  };
  expect(composeProgress(view, 1).progress.queued).toEqual([waits, half]);
  expect(composeProgress({ ...view, isLeaving: true }, 1).progress.queued).toBeUndefined();
});

test('a list of what waits fits the shadow, and goes from it when nothing waits', () => {
  const ids = Array.from({ length: 1_000 }, (_, i) => jobIdOf(`01jzq8w3k5t7job-${i}`));
  const work = new Map(ids.map((id) => [id, entryOf(1)]));
  const view = { ...viewOf(new Map(), []), work };
  const full = encodeProgressReport(composeProgress(view, 1).progress);
  expect(full.q!.length).toBeGreaterThan(200);
  expect(JSON.stringify(full).length).toBeLessThan(shadowBytesMax);
  const none = encodeProgressReport(composeProgress(viewOf(new Map(), []), 2).progress);
  const patch = makeProgressPatch();
  expect(patch.patch(none).q).toBeNull();
  patch.settle(none);
  expect(patch.patch(none)).not.toHaveProperty('q');
  expect(patch.patch(full).q).toEqual(full.q);
  expect(patch.patch(none).q).toBeNull();
});

/** Pairs far apart: what costs most to name. */
const scattered = fc
  .uniqueArray(fc.integer({ min: 333_333, max: 3_333_333 }), { maxLength: 900, size: 'max' })
  .map((places) => places.flatMap((place) => [place * 3, place * 3 + 1]));

test('however much there is to report, a report fits its shadow and says only what is true', () => {
  const jobs = fc.array(fc.tuple(scattered, scattered, fc.integer({ min: 1, max: 100 })), {
    minLength: 1,
    maxLength: 12,
    size: 'max',
  });
  fc.assert(
    fc.property(jobs, scattered, (all, running) => {
      const ledgers = new Map(
        all.map(([done, failed, attempt], index) => {
          return [jobIdOf(`01jzq8w3k5t7job-${index}`), ledgerOf(done, failed, attempt)] as const;
        }),
      );
      const { progress, results } = composeProgress(viewOf(ledgers, running), 123_456);
      const json = JSON.stringify({ state: { reported: encodeProgressReport(progress) } });
      expect(Buffer.byteLength(json)).toBeLessThanOrEqual(shadowBytesMax);
      const parsed = parseProgressReport(
        JSON.parse(JSON.stringify(encodeProgressReport(progress))),
      );
      for (const [job, reported] of results) {
        const ledger = ledgers.get(job)!;
        const entry = parsed!.jobs.get(job)!;
        expect(isEmpty(subtract(entry.done, ledger.done))).toBe(true);
        for (const chunk of entry.failed.keys()) expect(has(reported, chunk)).toBe(true);
      }
    }),
    { numRuns: 4 },
  );
});
