import { expect, test } from 'vitest';
import { jobIdOf } from '../../../core/model/names.ts';
import { emptyRanges, fromChunks, rangeOf } from '../../../core/model/ranges.ts';
import type { AgentSpec } from '../../../core/protocol/agent-spec.ts';
import { encodeWork, parseWork, type WorkEntry } from '../../../core/protocol/work.ts';
import { nextSteps, specKey, type View } from '../../../edge-agent/edge/next-steps.ts';

/** Instances of one service that run by several specs: three and four of what it once was. */
const job = jobIdOf('web');
const entry: WorkEntry = {
  ranges: rangeOf(0, 4),
  slots: 4,
  chunkPower: 10,
  specHash: 'new',
  release: emptyRanges,
  attempts: new Map([[2, fromChunks([0])]]),
  inlineSpec: null,
  generations: new Map([
    [3, { specHash: 'old', ranges: rangeOf(1, 4) }],
    [4, { specHash: 'new', ranges: rangeOf(0, 1) }],
  ]),
};

function specOf(hash: string): AgentSpec {
  return {
    id: 'web',
    hash,
    name: null,
    createdBy: 'token:1',
    chunks: 4,
    chunkPower: 10,
    lastChunkPower: 10,
    run: { process: { argv: [hash], env: {}, cwd: null, timeoutSeconds: null } },
    resources: {},
    keepOutput: 'failed',
    offlineSeconds: null,
    restart: { policy: 'always', backoffSeconds: 1, backoffSecondsMax: 9, resetAfterSeconds: 9 },
    ready: { afterSeconds: 0 },
    stopGraceSeconds: 1,
  };
}

function view(known: readonly string[], more: Partial<View> = {}): View {
  return {
    edge: 'edge-1',
    handover: null,
    obstacle: () => null,
    inputs: () => ({ kind: 'ready' }),
    parameters: () => ({ known: new Map(), reason: null }),
    capacityPower: 250,
    work: { epoch: 1, acknowledgedSequence: null, jobs: new Map([[job, entry]]) },
    ledgers: new Map(),
    running: new Map(),
    specs: new Map(
      known.map((hash) => [specKey(job, hash), { kind: 'ready' as const, spec: specOf(hash) }]),
    ),
    refusal: () => null,
    powerMax: Number.POSITIVE_INFINITY,
    mayStart: true,
    contactAtMs: 0,
    ...more,
  };
}

const running = (chunks: readonly number[]) =>
  new Map([[job, new Map(chunks.map((it) => [it, { attempt: 1, power: 10, stopping: false }]))]]);

function starts(of: View): [number, string][] {
  return nextSteps(of, 0).flatMap((step) =>
    step.kind === 'start'
      ? step.orders.map(({ chunk, spec }): [number, string] => [chunk, spec.hash])
      : [],
  );
}

test('each instance is started by its own spec, and no more of them than there are slots', () => {
  expect(starts(view(['old', 'new'])).sort()).toEqual([
    [0, 'new'],
    [1, 'old'],
    [2, 'old'],
    [3, 'old'],
  ]);
  const few = { ...entry, slots: 2 };
  const work = { epoch: 1, acknowledgedSequence: null, jobs: new Map([[job, few]]) };
  expect(starts(view(['old', 'new'], { work }))).toHaveLength(2);
});

test('what is known starts while the other spec is still fetched', () => {
  const steps = nextSteps(view(['old']), 0);
  expect(steps).toContainEqual({ kind: 'fetch-spec', job, hash: 'new', inline: null });
  expect(starts(view(['old'])).map(([chunk]) => chunk)).toEqual([1, 2, 3]);
});

test('only the instance of which another start is asked for is stopped, and then started', () => {
  const all = view(['old', 'new'], { running: running([0, 1, 2, 3]) });
  expect(nextSteps(all, 0)).toEqual([{ kind: 'stop', job, chunk: 0, why: 'superseded' }]);
  expect(starts(view(['old', 'new'], { running: running([1, 2, 3]) }))).toEqual([[0, 'new']]);
});

test('a generation that this edge refuses stops none of the others', () => {
  const refusal = (spec: AgentSpec) => (spec.hash === 'new' ? 'not here' : null);
  const steps = nextSteps(view(['old', 'new'], { refusal, running: running([1, 2, 3]) }), 0);
  expect(steps).toEqual([{ kind: 'refuse', job, reason: 'not here' }]);
});

test('the document names them, and nulls the names when all are alike again', () => {
  const work = { epoch: 7, acknowledgedSequence: null, jobs: new Map([[job, entry]]) };
  const document = encodeWork(work);
  expect(document.w[job]).toMatchObject({ g: 'new', h: '3:1-3;4:0', k: '3:old;4:new' });
  expect(parseWork(JSON.parse(JSON.stringify(document)))).toEqual(work);
  const alike = { ...entry, generations: new Map() };
  const after = encodeWork({ ...work, jobs: new Map([[job, alike]]) });
  expect(after.w[job]).toMatchObject({ h: null, k: null });
});

test('what makes no sense of them is left out', () => {
  const work = { epoch: 7, acknowledgedSequence: null, jobs: new Map([[job, entry]]) };
  const { w, ...rest } = encodeWork(work);
  for (const h of ['x', '3:zz', ';;', 7]) {
    const read = parseWork({ ...rest, w: { [job]: { ...w[job], h } } });
    expect(read?.jobs.get(job)?.generations).toEqual(new Map());
  }
});
