import { expect, test } from 'vitest';
import { jobIdOf } from '../../../core/model/names.ts';
import { formatRanges } from '../../../core/model/ranges.ts';
import type { Readiness } from '../../../core/services/readiness.ts';
import { makeRunningChunks } from '../../../edge-agent/edge/running-chunks.ts';
import { watchReadiness } from '../../../edge-agent/instances/instance-readiness.ts';
import { firstProbesEveryMs, probesAtOnceMax } from '../../../edge-agent/instances/limits.ts';
import { makeHandClock } from '../hand-clock.ts';

const web = jobIdOf('web');
const batch = jobIdOf('batch');
const probe = {
  http: { port: 'http', path: '/', everySeconds: 5, timeoutSeconds: 1, failures: 2 },
};

function stage(readiness: Readiness = { afterSeconds: 5 }) {
  const clock = makeHandClock();
  const chunks = makeRunningChunks();
  const changes: number[] = [];
  const answers = new Map<number, boolean | 'broken'>();
  const asked: number[] = [];
  let hold: Promise<void> = Promise.resolve();
  const watch = watchReadiness({
    clock,
    running: chunks.byJob,
    readinessOf: (job) => (job === web ? readiness : null),
    async ask({ chunk }) {
      asked.push(chunk);
      await hold;
      const answer = answers.get(chunk) ?? false;
      if (answer === 'broken') throw new Error('broken');
      return answer;
    },
    changed: () => changes.push(clock.monotonicMs()),
  });
  const start = (job: typeof web, chunk: number, attempt = 1): void => {
    chunks.started(job, chunk, { attempt, power: 1 });
    watch.watch();
  };
  const ready = (): string => formatRanges(watch.look().get(web)!);
  const holdAnswers = (): (() => void) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    hold = promise;
    return resolve;
  };
  return { clock, chunks, changes, answers, asked, watch, start, ready, holdAnswers };
}

test('an instance is ready when it has run for long enough, and its report is due then', async () => {
  const { clock, changes, start, ready, watch } = stage();
  const startMs = clock.monotonicMs();
  start(web, 0);
  start(batch, 7);
  expect(ready()).toBe('');
  expect(watch.look().has(batch)).toBe(false);
  await clock.wind();
  expect(changes).toEqual([startMs + 5_000]);
  expect(ready()).toBe('0');
  expect(clock.nextWaitMs()).toBeNull();
});

test('a new start is timed anew, and what is being stopped is not ready', async () => {
  const { clock, chunks, start, ready } = stage();
  start(web, 0);
  start(web, 1);
  await clock.wind();
  expect(ready()).toBe('0-1');
  chunks.beginStop(web, 0);
  expect(ready()).toBe('1');
  chunks.ended(web, 0);
  start(web, 0, 2);
  expect(ready()).toBe('1');
  await clock.wind();
  expect(ready()).toBe('0-1');
});

test('one that is asked is ready with its first good answer, for which it is asked often', async () => {
  const { clock, changes, answers, asked, start, ready } = stage(probe);
  start(web, 0);
  await clock.wind();
  expect([asked.length, ready(), clock.nextWaitMs()]).toEqual([1, '', firstProbesEveryMs]);
  answers.set(0, true);
  await clock.wind();
  expect([asked.length, ready(), changes.length]).toEqual([2, '0', 1]);
  expect(clock.nextWaitMs()).toBe(5_000);
  await clock.wind();
  expect([asked.length, changes.length]).toEqual([3, 1]);
});

test('so many bad answers in a row and it is not ready any more; one good one and it is', async () => {
  const { clock, changes, answers, start, ready } = stage(probe);
  answers.set(0, true);
  start(web, 0);
  await clock.wind();
  answers.set(0, false);
  await clock.wind();
  expect(ready()).toBe('0');
  answers.set(0, 'broken');
  await clock.wind();
  expect([ready(), changes.length]).toEqual(['', 2]);
  expect(clock.nextWaitMs()).toBe(5_000);
  answers.set(0, true);
  await clock.wind();
  expect([ready(), changes.length]).toEqual(['0', 3]);
});

test('an answer that comes after the end is no answer of the next start', async () => {
  const { clock, chunks, changes, answers, start, ready, holdAnswers } = stage(probe);
  answers.set(0, true);
  const release = holdAnswers();
  start(web, 0);
  await clock.wind();
  chunks.ended(web, 0);
  chunks.started(web, 0, { attempt: 2, power: 1 });
  release();
  await new Promise((resolve) => setImmediate(resolve));
  expect([ready(), changes.length]).toEqual(['', 0]);
});

test('of very many instances a few are asked at once, and all of them in turn', async () => {
  const { clock, answers, asked, start, ready, holdAnswers } = stage(probe);
  const all = 3 * probesAtOnceMax;
  const release = holdAnswers();
  for (let chunk = 0; chunk < all; chunk++) {
    answers.set(chunk, true);
    start(web, chunk);
  }
  await clock.wind();
  expect([asked.length, clock.nextWaitMs()]).toEqual([probesAtOnceMax, null]);
  release();
  await new Promise((resolve) => setImmediate(resolve));
  while (asked.length < all) await clock.wind();
  await new Promise((resolve) => setImmediate(resolve));
  expect(ready()).toBe(`0-${all - 1}`);
});

test('nothing is asked once it is stopped', async () => {
  const { clock, answers, watch, start, changes } = stage(probe);
  answers.set(0, true);
  start(web, 0);
  watch.stop();
  expect(clock.nextWaitMs()).toBeNull();
  expect(changes).toEqual([]);
});
