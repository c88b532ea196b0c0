import { expect, test } from 'vitest';
import { jobIdOf } from '../../../core/model/names.ts';
import { percentsMax } from '../../../core/protocol/limits.ts';
import { makeRunningChunks } from '../../../edge-agent/edge/running-chunks.ts';
import { percentsReportedEveryMs, reportsProgressAfterMs } from '../../../edge-agent/limits.ts';
import { watchChunkProgress } from '../../../edge-agent/report/chunk-progress.ts';
import { makeHandClock } from '../hand-clock.ts';

const job = jobIdOf('job');

function stage() {
  const clock = makeHandClock();
  const chunks = makeRunningChunks();
  const said = new Map<number, number>();
  const reported: number[] = [];
  const progress = watchChunkProgress({
    name: 'edge-1',
    clock,
    running: chunks.byJob,
    percentOf: ({ chunk }) => said.get(chunk) ?? null,
    risen: () => reported.push(clock.monotonicMs()),
  });
  const start = (chunk: number, attempt = 1): void => {
    chunks.started(job, chunk, { attempt, power: 1 });
    progress.watch();
  };
  return { clock, chunks, said, reported, progress, start };
}

test('a report names what chunks said, whole, below a hundred, and never less than before', () => {
  const { chunks, said, progress, start } = stage();
  for (const chunk of [0, 1, 2]) start(chunk);
  said.set(0, 12.9).set(1, 250);
  expect([...progress.look().get(job)!]).toEqual([
    [0, 12],
    [1, 99],
  ]);
  said.set(0, 3);
  expect(progress.look().get(job)!.get(0)).toBe(12);
  chunks.ended(job, 0);
  start(0, 2);
  expect(progress.look().get(job)!.get(0)).toBe(3);
});

test('of very many chunks the first are looked at', () => {
  const { said, progress, start } = stage();
  for (let chunk = 0; chunk < 2 * percentsMax; chunk++) {
    start(chunk);
    said.set(chunk, 5);
  }
  expect(progress.look().get(job)!.size).toBe(percentsMax);
});

test('what has run for half a minute is reported by itself when it rose, and only then', async () => {
  const { clock, chunks, said, reported, progress, start } = stage();
  const startMs = clock.monotonicMs();
  start(0);
  said.set(0, 1);
  while (reported.length === 0) await clock.wind();
  expect(reported[0]! - startMs).toBeLessThanOrEqual(
    reportsProgressAfterMs + 2 * percentsReportedEveryMs,
  );
  expect(reported[0]! - startMs).toBeGreaterThanOrEqual(reportsProgressAfterMs);
  progress.look();
  await clock.wind();
  await clock.wind();
  expect(reported).toHaveLength(1);
  said.set(0, 2);
  await clock.wind();
  expect(reported).toHaveLength(2);
  chunks.ended(job, 0);
  await clock.wind();
  expect(clock.nextWaitMs()).toBeNull();
});
