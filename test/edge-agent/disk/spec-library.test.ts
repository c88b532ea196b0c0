import { beforeEach, expect, test } from 'vitest';
import { jobIdOf } from '../../../core/model/names.ts';
import { openSpecLibrary, type SpecLibrary } from '../../../edge-agent/disk/spec-library.ts';
import { specKey } from '../../../edge-agent/edge/next-steps.ts';
import { specPatienceMs } from '../../../edge-agent/limits.ts';
import {
  type ControlPlaneApi,
  ControlPlaneError,
} from '../../../edge-agent/link/control-plane-api.ts';
import { type HandClock, makeHandClock } from '../hand-clock.ts';

const job = jobIdOf('job');
const spec = { id: 'job', hash: 'h', chunks: 4, chunkPower: 1, run: { simulate: { seconds: 1 } } };
const key = specKey(job, 'h');

let clock: HandClock;
let library: SpecLibrary;
let answer: () => unknown;
let asked: number;
let changes: number;

beforeEach(() => {
  clock = makeHandClock();
  asked = 0;
  changes = 0;
  const api = {
    getSpec: async () => {
      asked += 1;
      const value = answer();
      if (value instanceof ControlPlaneError) throw value;
      return value;
    },
  } as unknown as ControlPlaneApi;
  const store = { load: () => null, save: () => {} };
  library = openSpecLibrary({ api, store, clock, signal: new AbortController().signal });
});

const fetch = (inline: string | null = null) =>
  library.fetch(
    { job, hash: 'h', inline },
    () => 's',
    () => void changes++,
  );
const settled = () => new Promise((resolve) => setImmediate(resolve));
const away = new ControlPlaneError('it does not answer', null, 'unreachable', null);

test('a spec is asked for once, however many want it', async () => {
  answer = () => spec;
  fetch();
  fetch();
  await settled();
  expect([asked, library.known.get(key)?.kind]).toEqual([1, 'ready']);
  expect(changes).toBe(2);
});

test('an API that is away is asked again; after a while the work is refused, and had when it is back', async () => {
  answer = () => away;
  fetch();
  await settled();
  const beganMs = clock.monotonicMs();
  while (clock.monotonicMs() - beganMs < specPatienceMs * 0.9) {
    expect(library.known.get(key)?.kind).toBe('fetching');
    await clock.wind();
  }
  while (clock.monotonicMs() - beganMs < specPatienceMs + 60_000) await clock.wind();
  expect(library.known.get(key)).toEqual({
    kind: 'unavailable',
    reason: 'spec not available: the API is not reached',
  });
  expect(changes).toBe(1);
  answer = () => spec;
  await clock.wind();
  expect([library.known.get(key)?.kind, changes]).toEqual(['ready', 2]);
});

test('what the control plane does not have is known to be missing after a few tries', async () => {
  answer = () => new ControlPlaneError('404', 404, 'not-found', null);
  fetch();
  await settled();
  for (let tries = 1; tries < 4; tries++) await clock.wind();
  expect(library.known.get(key)).toMatchObject({ kind: 'unavailable' });
  expect(clock.nextWaitMs()).toBeNull();
});

test('a spec that came with the work is not asked for', () => {
  const { id: _id, hash: _hash, ...inline } = spec;
  fetch(JSON.stringify(inline));
  expect([asked, changes]).toEqual([0, 1]);
  expect(library.find(job, 'h')).toMatchObject({ ...spec, createdBy: '' });
});

test.each(['', '{', '[]', 'null', '{"chunks":4}', '{"chunks":4,"chunkPower":1,"run":{"rm":{}}}'])(
  'one that makes no sense (%s) is asked for instead',
  (inline) => {
    answer = () => away;
    fetch(inline);
    expect([asked, library.known.get(key)?.kind]).toEqual([1, 'fetching']);
  },
);
