import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jobIdOf } from '../../../core/model/names.ts';
import {
  chunksOf,
  emptyRanges,
  fromChunks,
  has,
  isEmpty,
  rangeOf,
  subtract,
} from '../../../core/model/ranges.ts';
import type { AgentSpec } from '../../../core/protocol/agent-spec.ts';
import type { Work, WorkEntry } from '../../../core/protocol/work.ts';
import {
  emptyLedger,
  type JobLedger,
  withAccepted,
  withoutResults,
  withResult,
} from '../../../edge-agent/edge/ledger.ts';
import {
  nextSteps,
  type RunningChunk,
  type Step,
  specKey,
  type View,
} from '../../../edge-agent/edge/next-steps.ts';

const job = jobIdOf('job');
const spec: AgentSpec = {
  id: 'job',
  hash: 'h',
  name: null,
  createdBy: 'token:1',
  chunks: 40,
  chunkPower: 10,
  lastChunkPower: 13,
  run: { simulate: { seconds: 1 } },
  resources: {},
  keepOutput: 'failed',
  offlineSeconds: null,
};

function entry(ranges: string, more: Partial<WorkEntry> = {}): WorkEntry {
  const [from, to] = ranges.split('-').map(Number);
  const chunks = Array.from({ length: (to ?? from)! - from! + 1 }, (_, index) => from! + index);
  return {
    ranges: fromChunks(chunks),
    slots: 4,
    chunkPower: 10,
    specHash: 'h',
    release: emptyRanges,
    attempts: new Map(),
    inlineSpec: null,
    ...more,
  };
}

function view(one: WorkEntry | null, more: Partial<View> = {}): View {
  const jobs = new Map(one === null ? [] : [[job, one] as const]);
  return {
    edge: 'edge-1',
    obstacle: () => null,
    inputs: () => ({ kind: 'ready' }),
    parameters: () => ({ known: new Map(), reason: null }),
    capacityPower: 250,
    handover: null,
    work: { epoch: 1, acknowledgedSequence: null, jobs },
    ledgers: new Map(),
    running: new Map(),
    specs: new Map([[specKey(job, 'h'), { kind: 'ready', spec }]]),
    refusal: () => null,
    powerMax: Number.POSITIVE_INFINITY,
    mayStart: true,
    contactAtMs: 0,
    ...more,
  };
}

function started(steps: readonly Step[]): number[] {
  return steps.flatMap((step) =>
    step.kind === 'start' ? step.orders.map(({ chunk }) => chunk) : [],
  );
}

function running(chunks: readonly number[], more: Partial<RunningChunk> = {}) {
  const one: RunningChunk = { attempt: 1, power: 10, stopping: false, ...more };
  return new Map([[job, new Map(chunks.map((chunk) => [chunk, one] as const))]]);
}

function done(...chunks: number[]): JobLedger {
  const results = chunks.map((chunk) => ({ chunk, attempt: 1, failure: null, durationMs: 5 }));
  return results.reduce(withResult, emptyLedger);
}

describe('what is started', () => {
  test('as many as there are slots, the lowest first', () => {
    expect(started(nextSteps(view(entry('3-20')), 0))).toEqual([3, 4, 5, 6]);
  });

  test('not what is being released, has a result, or runs', () => {
    const one = entry('0-9', { release: fromChunks([2]) });
    const more = { ledgers: new Map([[job, done(0)]]), running: running([1]) };
    expect(started(nextSteps(view(one, more), 0))).toEqual([3, 4, 5]);
  });

  test('a failure is run again when a higher attempt is asked for, and not before', () => {
    const failed = withResult(emptyLedger, { chunk: 0, attempt: 1, failure: 7, durationMs: 5 });
    const ledgers = new Map([[job, failed]]);
    expect(started(nextSteps(view(entry('0-0'), { ledgers }), 0))).toEqual([]);
    const again = entry('0-0', { attempts: new Map([[2, fromChunks([0])]]) });
    const steps = nextSteps(view(again, { ledgers }), 0);
    expect(steps).toContainEqual({ kind: 'forget', job, chunks: fromChunks([0]) });
    const start = steps.find((step) => step.kind === 'start');
    expect(start?.orders).toEqual([{ edge: 'edge-1', job, chunk: 0, attempt: 2, power: 10, spec }]);
  });

  test('nothing above the power that the owner allows', () => {
    expect(started(nextSteps(view(entry('0-9'), { powerMax: 25 }), 0))).toEqual([0, 1]);
  });

  test('nothing in the place of a chunk that is being stopped and still lives', () => {
    const more = { capacityPower: 30, running: running([20, 21], { stopping: true }) };
    expect(started(nextSteps(view(entry('0-9'), more), 0))).toEqual([0]);
    // With none of those, what the cloud counts is right, also where an admin allows more.
    const others = { capacityPower: 30, running: running([7, 8]) };
    expect(started(nextSteps(view(entry('0-9'), others), 0))).toEqual([0, 1]);
  });

  test('nothing where there is no room, and what runs goes on', () => {
    const obstacle = (): string => 'no-free-disk: full';
    const steps = nextSteps(view(entry('0-9'), { obstacle, running: running([1]) }), 0);
    expect(steps).toEqual([{ kind: 'refuse', job, reason: 'no-free-disk: full' }]);
    const full = view(entry('0-3'), { obstacle, running: running([0, 1, 2, 3]) });
    expect(nextSteps(full, 0)).toEqual([]);
  });

  test('nothing before its inputs are here; they are fetched, and what is wrong is said', () => {
    const coming = { kind: 'fetching', reason: null } as const;
    const fetch = { kind: 'fetch-inputs', job, spec };
    expect(nextSteps(view(entry('0-9'), { inputs: () => coming }), 0)).toEqual([fetch]);
    const failing = { kind: 'fetching', reason: 'input-corrupt: x' } as const;
    const steps = nextSteps(view(entry('0-9'), { inputs: () => failing }), 0);
    expect(steps).toEqual([fetch, { kind: 'refuse', job, reason: 'input-corrupt: x' }]);
    // They are fetched while nothing may start, so that they are here when it may.
    const stopping = { inputs: () => coming, mayStart: false };
    expect(nextSteps(view(entry('0-9'), stopping), 0)).toEqual([fetch]);
  });

  test('no chunk of a sweep before its parameters are here, and each with its own', () => {
    const run = { process: { argv: ['x', '{a}'], env: {}, cwd: null, timeoutSeconds: null } };
    const sweep = { ...spec, sweep: true as const, run };
    const specs = new Map([[specKey(job, sweep.hash), { kind: 'ready' as const, spec: sweep }]]);
    const none = nextSteps(view(entry('0-9'), { specs }), 0);
    expect(none).toMatchObject([{ kind: 'fetch-parameters', job, ahead: rangeOf(0, 10) }]);
    const known = new Map([0, 1, 3].map((n) => [n, new Map([['a', n]])]));
    const parameters = () => ({ known, reason: 'parameters-unreachable: x' });
    const some = nextSteps(view(entry('0-9'), { specs, parameters }), 0);
    expect(started(some)).toEqual([0, 1]);
    const [order] = some.flatMap((step) => (step.kind === 'start' ? step.orders : []));
    const { argv, env } = (order!.spec.run as typeof run).process;
    expect([argv, env]).toEqual([
      ['x', '0'],
      { EDGEWISE_PARAM_A: '0', EDGEWISE_PARAMS: '{"a":0}' },
    ]);
    expect(some.map(({ kind }) => kind)).toEqual(['fetch-parameters', 'start']);
    const failing = () => ({ known: new Map(), reason: 'parameters-unreachable: x' });
    const refused = nextSteps(view(entry('0-9'), { specs, parameters: failing }), 0);
    expect(refused.map(({ kind }) => kind)).toEqual(['fetch-parameters', 'refuse']);
  });

  test('nothing while results cannot be written down', () => {
    expect(nextSteps(view(entry('0-9'), { mayStart: false }), 0)).toEqual([]);
  });

  test('nothing of a job that is refused, and what runs of it is stopped', () => {
    const refusal = (): string => 'not here';
    const steps = nextSteps(view(entry('0-9'), { refusal, running: running([1]) }), 0);
    expect(steps).toContainEqual({ kind: 'refuse', job, reason: 'not here' });
    expect(steps).toContainEqual({ kind: 'stop', job, chunk: 1, why: 'refused' });
    expect(started(steps)).toEqual([]);
  });

  test('past its offline limit a job is stopped, before it the moment is noted', () => {
    const offline = { ...spec, offlineSeconds: 10 };
    const specs = new Map([[specKey(job, 'h'), { kind: 'ready', spec: offline } as const]]);
    const more = { specs, contactAtMs: 1_000, running: running([0]) };
    const before = nextSteps(view(entry('0-9'), more), 10_999);
    expect(before).toContainEqual({ kind: 'look-again', atMs: 11_000 });
    expect(started(before)).toEqual([1, 2, 3]);
    const after = nextSteps(view(entry('0-9'), more), 11_000);
    expect(after).toEqual([{ kind: 'stop', job, chunk: 0, why: 'offline' }]);
  });
});

describe('what is stopped and forgotten', () => {
  test('a running chunk that left the work is stopped, once', () => {
    const stop = { kind: 'stop', job, chunk: 5, why: 'revoked' };
    expect(nextSteps(view(null, { running: running([5]) }), 0)).toEqual([stop]);
    expect(nextSteps(view(null, { running: running([5], { stopping: true }) }), 0)).toEqual([]);
  });

  test('a result is forgotten only when an applied report contained it', () => {
    const reported = withAccepted(done(1, 2), 7, fromChunks([1]));
    const ledgers = new Map([[job, reported]]);
    const work = (acknowledgedSequence: number | null): Work => ({
      epoch: 2,
      acknowledgedSequence,
      jobs: new Map(),
    });
    expect(nextSteps(view(null, { ledgers, work: work(6) }), 0)).toEqual([]);
    const forget = { kind: 'forget', job, chunks: fromChunks([1]) };
    expect(nextSteps(view(null, { ledgers, work: work(7) }), 0)).toEqual([forget]);
    expect(nextSteps(view(null, { ledgers, work: work(null) }), 0)).toEqual([forget]);
  });
});

const chunkSet = fc.uniqueArray(fc.nat(39), { maxLength: 40 }).map(fromChunks);
const anyView: fc.Arbitrary<View> = fc
  .record({
    ranges: chunkSet,
    release: chunkSet,
    again: chunkSet,
    slots: fc.nat(12),
    good: fc.uniqueArray(fc.nat(39), { maxLength: 20 }),
    bad: fc.uniqueArray(fc.nat(39), { maxLength: 20 }),
    active: fc.uniqueArray(fc.nat(39), { maxLength: 8 }),
    reported: chunkSet,
    acknowledgedSequence: fc.option(fc.nat(20)),
    isOwned: fc.boolean(),
  })
  .map((it) => {
    let ledger = done(...it.good);
    for (const chunk of it.bad) {
      ledger = withResult(ledger, { chunk, attempt: 1, failure: 1, durationMs: null });
    }
    ledger = withAccepted(ledger, 10, it.reported);
    const free = it.active.filter((chunk) => !it.good.includes(chunk) && !it.bad.includes(chunk));
    const one: WorkEntry = {
      ...entry('0-0'),
      ranges: it.ranges,
      release: it.release,
      slots: it.slots,
      attempts: isEmpty(it.again) ? new Map() : new Map([[2, it.again]]),
    };
    const jobs = new Map(it.isOwned ? [[job, one] as const] : []);
    return view(null, {
      work: { epoch: 3, acknowledgedSequence: it.acknowledgedSequence, jobs },
      ledgers: new Map([[job, ledger]]),
      running: running(free),
    });
  });

/** What carrying the steps out does to the view. */
function carryOut(before: View, steps: readonly Step[]): View {
  const ledgers = new Map(before.ledgers);
  const active = new Map([...before.running].map(([job, chunks]) => [job, new Map(chunks)]));
  for (const step of steps) {
    if (step.kind === 'forget') {
      ledgers.set(step.job, withoutResults(ledgers.get(step.job) ?? emptyLedger, step.chunks));
    }
    if (step.kind === 'stop') {
      const chunks = active.get(step.job)!;
      chunks.set(step.chunk, { ...chunks.get(step.chunk)!, stopping: true });
    }
    if (step.kind === 'start') {
      const chunks = active.get(step.job) ?? new Map();
      active.set(step.job, chunks);
      for (const { chunk, attempt, power } of step.orders) {
        expect(chunks.has(chunk)).toBe(false);
        chunks.set(chunk, { attempt, power, stopping: false });
      }
    }
  }
  return { ...before, ledgers, running: active };
}

test('deciding again after carrying out gives nothing', () => {
  fc.assert(
    fc.property(anyView, (before) => {
      const after = carryOut(before, nextSteps(before, 0));
      expect(nextSteps(after, 0)).toEqual([]);
    }),
  );
});

test('what starts is owned, not being released, without result, and fits the slots', () => {
  fc.assert(
    fc.property(anyView, (before) => {
      const chunks = started(nextSteps(before, 0));
      const one = before.work.jobs.get(job);
      const ledger = before.ledgers.get(job)!;
      for (const chunk of chunks) {
        expect(has(one!.ranges, chunk)).toBe(true);
        expect(has(one!.release, chunk)).toBe(false);
        expect(has(ledger.done, chunk)).toBe(false);
        expect(before.running.get(job)?.has(chunk)).toBe(false);
      }
      const active = before.running.get(job)?.size ?? 0;
      if (chunks.length > 0) expect(chunks.length + active).toBeLessThanOrEqual(one!.slots);
    }),
  );
});

test('no result is forgotten that the cloud may still want', () => {
  fc.assert(
    fc.property(anyView, (before) => {
      const ledger = before.ledgers.get(job)!;
      const owned = before.work.jobs.get(job)?.ranges ?? emptyRanges;
      for (const step of nextSteps(before, 0)) {
        if (step.kind !== 'forget') continue;
        const kept = subtract(step.chunks, owned);
        for (const chunk of chunksOf(kept)) {
          expect(ledger.accepted.some(({ chunks }) => has(chunks, chunk))).toBe(true);
        }
        const isAcknowledged =
          before.work.acknowledgedSequence === null || before.work.acknowledgedSequence >= 10;
        if (!isAcknowledged) expect(isEmpty(kept)).toBe(true);
        // Of what is owned, only failures that a later attempt supersedes go.
        for (const chunk of chunksOf(subtract(step.chunks, kept))) {
          expect(has(ledger.done, chunk)).toBe(false);
        }
      }
    }),
  );
});
