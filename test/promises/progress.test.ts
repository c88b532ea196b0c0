import { expect, test } from 'vitest';
import type { EdgeName } from '../../core/model/names.ts';
import { CalmWorld } from './calm-world.ts';

/**
 * Nothing waits for nothing: no chunk holds up another, no edge stands idle, nobody keeps what it
 * does not do.
 */

test('a chunk that never ends holds up no other job on its edge, and can be cancelled', async () => {
  const stage = new CalmWorld(1);
  const stuck = stage.submit(1, 30 * 86_400_000);
  await stage.until('at work', () => stage.runningOn(stuck).length === 1);
  const others = [stage.submit(10, 500), stage.submit(10, 500)];
  for (const job of others) await stage.ended(job, 600);
  expect(others.map((job) => stage.stateOf(job))).toEqual(['done', 'done']);
  stage.cancel(stuck);
  await stage.ended(stuck, 5);
  expect(stage.stateOf(stuck)).toBe('cancelled');
});

test('an edge is refilled before it runs dry, without waiting for a reporting cycle', async () => {
  const stage = new CalmWorld(1);
  const job = stage.submit(200, 1_000);
  await stage.until('at work', () => stage.world.truth.runs > 0);
  const beganAt = stage.seconds;
  await stage.ended(job);
  const alone = new CalmWorld(1);
  const few = alone.submit(20, 1_000);
  await alone.until('at work', () => alone.world.truth.runs > 0);
  const shortBeganAt = alone.seconds;
  await alone.ended(few);
  const perChunk = (stage.seconds - beganAt) / 200;
  expect(perChunk).toBeLessThan(((alone.seconds - shortBeganAt) / 20) * 1.2);
});

test('an edge that does not take its work loses it to one that does', async () => {
  let unresponsive: EdgeName | null = null;
  const stage = new CalmWorld(2, {
    hear: (message) =>
      message.topic.includes(`${unresponsive}/shadow/name/work`) ? null : message,
  });
  const old = stage.submit(1, 3_600_000);
  await stage.until('at work', () => stage.runningOn(old).length === 1);
  unresponsive = stage.runningOn(old)[0]!;
  const job = stage.submit(3, 1_000);
  await stage.ended(job, 1_800);
  expect(stage.stateOf(job)).toBe('done');
  expect(stage.doneOn(job)).not.toContain(unresponsive);
});
