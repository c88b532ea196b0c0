import { beforeEach, expect, test } from 'vitest';
import { jobIdOf } from '../../../core/model/names.ts';
import { openSpecLibrary, type SpecLibrary } from '../../../edge-agent/disk/spec-library.ts';
import { specKey } from '../../../edge-agent/edge/next-steps.ts';
import { specPatienceMs } from '../../../edge-agent/limits.ts';
import { type PlaneApi, PlaneError } from '../../../edge-agent/link/plane-api.ts';
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
      if (value instanceof PlaneError) throw value;
      return value;
    },
  } as unknown as PlaneApi;
  const store = { load: () => null, save: () => {} };
  library = openSpecLibrary({ api, store, clock, signal: new AbortController().signal });
});

const fetch = () =>
  library.fetch(
    job,
    'h',
    () => 's',
    () => void changes++,
  );
const settled = () => new Promise((resolve) => setImmediate(resolve));
const away = new PlaneError('it does not answer', null, 'unreachable', null);

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

test('what the plane does not have is known to be missing after a few tries', async () => {
  answer = () => new PlaneError('404', 404, 'not-found', null);
  fetch();
  await settled();
  for (let tries = 1; tries < 4; tries++) await clock.wind();
  expect(library.known.get(key)).toMatchObject({ kind: 'unavailable' });
  expect(clock.nextWaitMs()).toBeNull();
});
