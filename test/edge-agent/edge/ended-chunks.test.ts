import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type JobId, jobIdOf } from '../../../core/model/names.ts';
import { fromChunks } from '../../../core/model/ranges.ts';
import { snapshotOf } from '../../../edge-agent/disk/journal-compaction.ts';
import {
  decodeRecord,
  doneRecords,
  encodeRecord,
  type JournalRecord,
} from '../../../edge-agent/disk/journal-record.ts';
import { blankMemory, replay } from '../../../edge-agent/disk/replay.ts';
import {
  type CountedEnd,
  makeEndBatch,
  takeEnds,
  takeSent,
} from '../../../edge-agent/edge/ended-chunks.ts';
import { emptyLedger, type JobLedger, withResult } from '../../../edge-agent/edge/ledger.ts';
import { makeRunningChunks } from '../../../edge-agent/edge/running-chunks.ts';
import { rememberedOf } from '../../../edge-agent/edge/sending-results.ts';

const end: fc.Arbitrary<CountedEnd> = fc.record({
  job: fc.constantFrom(jobIdOf('job-a'), jobIdOf('job-b')),
  chunk: fc.nat(30),
  attempt: fc.integer({ min: 1, max: 3 }),
  failure: fc.option(fc.constantFrom(1, 'timeout'), { freq: 3 }),
  durationMs: fc.constant(null),
});

/** A chunk ends once in a turn. */
const turn = fc.uniqueArray(end, { selector: ({ job, chunk }) => `${job}/${chunk}` });

const written = (records: readonly JournalRecord[]): JournalRecord[] =>
  records.map((record) => decodeRecord(encodeRecord(record).trimEnd())!);

function ledgersOf(records: readonly JournalRecord[]): ReadonlyMap<JobId, JobLedger> {
  return replay(written(records)).edges.get('edge-1')?.ledgers ?? new Map();
}

test('ends taken in together are what they are one by one, in memory and in the journal', () => {
  fc.assert(
    fc.property(fc.array(turn, { maxLength: 6 }), (turns) => {
      const together = new Map<JobId, JobLedger>();
      const single = new Map<JobId, JobLedger>();
      const records: JournalRecord[] = [];
      for (const ends of turns) {
        const batch = makeEndBatch();
        for (const one of ends) {
          batch.add(one);
          single.set(one.job, withResult(single.get(one.job) ?? emptyLedger, one));
        }
        records.push(...batch.records('edge-1'));
        batch.addTo(together);
      }
      expect(together).toEqual(single);
      expect(ledgersOf(records)).toEqual(together);
    }),
  );
});

test('a mean of many counts as each of them', () => {
  const job = jobIdOf('job-a');
  const ledgers = new Map<JobId, JobLedger>([[job, { ...emptyLedger, chunkMs: 100 }]]);
  const batch = makeEndBatch();
  let single = ledgers.get(job)!;
  for (let chunk = 0; chunk < 50; chunk++) {
    const one = { job, chunk, attempt: 1, failure: null, durationMs: 20 };
    batch.add(one);
    single = withResult(single, one);
  }
  batch.addTo(ledgers);
  expect(ledgers.get(job)!.chunkMs).toBeCloseTo(single.chunkMs!, 6);
});

test('however scattered the chunks are, what was written of them can be read', () => {
  const job = jobIdOf('job-a');
  const scattered = fromChunks(Array.from({ length: 60_000 }, (_, at) => 900_000_000 + 2 * at));
  const ledger = { ...emptyLedger, done: scattered };
  expect(ledgersOf(doneRecords('edge-1', job, 1, scattered)).get(job)).toEqual(ledger);
  const records = snapshotOf('edge-1', { ...blankMemory, ledgers: new Map([[job, ledger]]) });
  expect(ledgersOf(records).get(job)).toEqual(ledger);
});

const restart = {
  policy: 'always',
  backoffSeconds: 1,
  backoffSecondsMax: 9,
  resetAfterSeconds: 9,
} as const;
const web = jobIdOf('web');
const name = { edge: 'edge-1', job: web, chunk: 0, attempt: 1 };
const endedWell = { name, end: { kind: 'done' }, durationMs: 5, output: null } as const;

/** While its service is brought to a generation whose spec is still fetched, for example. */
test('an instance that ends well is never done, whatever is known of its job by then', () => {
  const running = makeRunningChunks();
  running.started(web, 0, { attempt: 1, power: 10, ...rememberedOf({ restart }) });
  const ledgers = new Map<JobId, JobLedger>();
  takeEnds('edge-1', [endedWell], running).batch.addTo(ledgers);
  expect(ledgers.get(web)).toMatchObject({ done: [], failed: new Map([[0, { failure: 0 }]]) });
});

test('nor is one that outlived the agent, of which nobody knew what it was', () => {
  const running = makeRunningChunks();
  running.started(web, 0, { attempt: 1, power: 10, ...rememberedOf(null) });
  const ledgers = new Map<JobId, JobLedger>();
  takeEnds('edge-1', [endedWell], running).batch.addTo(ledgers);
  expect(ledgers.size).toBe(0);
  takeSent(name, 'safe', running, true)?.addTo(ledgers);
  expect(ledgers.get(web)).toMatchObject({ done: [], failed: new Map([[0, { failure: 0 }]]) });
});
