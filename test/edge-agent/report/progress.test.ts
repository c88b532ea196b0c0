import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shadowBytesMax } from '../../../core/model/limits.ts';
import { type JobId, jobIdOf } from '../../../core/model/names.ts';
import { fromChunks, has, isEmpty, subtract } from '../../../core/model/ranges.ts';
import {
  encodeProgressReport,
  parseProgressReport,
} from '../../../core/protocol/progress-report.ts';
import { emptyLedger, type JobLedger, withResult } from '../../../edge-agent/edge/ledger.ts';
import { composeProgress, type ProgressView } from '../../../edge-agent/report/progress.ts';

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
  };
}

test('a report tells all results, and what runs', () => {
  const ledgers = new Map([[job, ledgerOf([0, 1, 2], [7], 1)]]);
  const { progress, results } = composeProgress(viewOf(ledgers, [8]), 58);
  const json = encodeProgressReport(progress);
  expect(json).toMatchObject({ b: 'boot', e: 9, n: 58, f: 1 });
  expect(json.w['job-0']).toMatchObject({ d: '0-2', a: '8', t: '2:8', m: 12 });
  expect(results.get(job)).toEqual(fromChunks([0, 1, 2, 7]));
});

test('a chunk that is being stopped is not said to run', () => {
  const stopping = new Map([[3, { attempt: 1, power: 5, stopping: true }]]);
  const view = { ...viewOf(new Map(), []), running: new Map([[job, stopping]]) };
  expect(composeProgress(view, 1).progress.jobs.size).toBe(0);
});

/** Pairs far apart: what costs most to name. */
const scattered = fc
  .uniqueArray(fc.integer({ min: 333_333, max: 3_333_333 }), { maxLength: 900, size: 'max' })
  .map((places) => places.flatMap((place) => [place * 3, place * 3 + 1]));

test('however much there is to tell, a report fits its shadow and tells only what is true', () => {
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
      for (const [job, told] of results) {
        const ledger = ledgers.get(job)!;
        const entry = parsed!.jobs.get(job)!;
        expect(isEmpty(subtract(entry.done, ledger.done))).toBe(true);
        for (const chunk of entry.failed.keys()) expect(has(told, chunk)).toBe(true);
      }
    }),
    { numRuns: 4 },
  );
});
