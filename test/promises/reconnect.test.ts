import { expect, test } from 'vitest';
import { calm } from '../sim/faults.ts';
import { CalmWorld } from './calm-world.ts';

/**
 * Partitions, outages and returns, on the real functions and the real agent under a simulated
 * clock. What is asserted is mostly one number: how often chunks ran to their end, whoever knew of
 * it.
 */

test('a disconnection that is shorter than the grace restarts nothing', async () => {
  const stage = new CalmWorld(2);
  const job = stage.submit(4, 20_000, 120);
  await stage.until('both at work', () => stage.runningOn(job).length === 2);
  stage.world.network.set(stage.edges[0]!, false);
  await stage.run(60);
  stage.world.network.set(stage.edges[0]!, true);
  await stage.ended(job);
  expect(stage.stateOf(job)).toBe('done');
  expect(stage.world.truth.runs).toBe(4);
});

test('ten minutes without the control plane, with links that come and go: every chunk runs once', async () => {
  const stage = new CalmWorld(4);
  // Above the longest pause of an agent that found nobody.
  const job = stage.submit(12, 900_000, 60);
  await stage.run(130);
  stage.world.isUp = false;
  for (const edge of stage.edges) {
    stage.world.network.set(edge, false);
    await stage.run(120);
    stage.world.network.set(edge, true);
    await stage.run(30);
  }
  stage.world.network.set(stage.edges[0]!, false);
  await stage.run(60);
  // Silent for longer than its grace, as far as anybody can tell; but it was nobody's turn to
  // listen.
  stage.world.isUp = true;
  // Past the first minute tick, from which the grace counts anew.
  await stage.run(60 - (stage.seconds % 60) + 20);
  stage.world.network.set(stage.edges[0]!, true);
  await stage.ended(job, 86_400);
  expect(stage.stateOf(job)).toBe('done');
  expect(stage.world.truth.runs).toBe(12);
  expect([...stage.everLost]).toEqual([]);
});

test('a whole site that is cut off for two minutes goes on with what it has', async () => {
  const stage = new CalmWorld(5);
  const job = stage.submit(10, 60_000, 60);
  await stage.until('all at work', () => stage.runningOn(job).length === 5);
  for (const edge of stage.edges) stage.world.network.set(edge, false);
  await stage.run(120);
  for (const edge of stage.edges) stage.world.network.set(edge, true);
  await stage.ended(job);
  expect(stage.world.truth.runs).toBe(10);
  expect([...stage.everLost]).toEqual([]);
});

test('a replacement goes on when the one before returns, which is stopped', async () => {
  const stage = new CalmWorld(2);
  const job = stage.submit(1, 600_000, 30);
  await stage.until('at work', () => stage.runningOn(job).length === 1);
  const [before] = stage.runningOn(job);
  stage.world.network.set(before!, false);
  await stage.until('the replacement', () => stage.runningOn(job).some((edge) => edge !== before));
  stage.world.network.set(before!, true);
  await stage.ended(job, 7_200);
  expect(stage.doneOn(job)).not.toContain(before);
  expect(stage.world.truth.runs).toBe(1);
});

test('an edge that was lost and returned gets new work, and hears of its end', async () => {
  const stage = new CalmWorld(1);
  const first = stage.submit(2, 60_000, 30);
  await stage.until('at work', () => stage.runningOn(first).length === 1);
  stage.world.network.set(stage.edges[0]!, false);
  await stage.run(200);
  stage.world.network.set(stage.edges[0]!, true);
  await stage.ended(first);
  const next = stage.submit(2, 3_600_000);
  await stage.until('at work again', () => stage.runningOn(next).length === 1, 10);
  stage.cancel(next);
  await stage.ended(next, 5);
  const runs = stage.world.truth.runs;
  await stage.run(8 * 3_600);
  expect(stage.world.truth.runs).toBe(runs);
});

test('a cancelled job ends at once although its edge is away, and the edge stops it when it returns', async () => {
  const stage = new CalmWorld(1);
  const job = stage.submit(2, 1_800_000);
  await stage.until('at work', () => stage.runningOn(job).length === 1);
  stage.world.network.set(stage.edges[0]!, false);
  await stage.run(5);
  stage.cancel(job);
  await stage.ended(job, 5);
  expect(stage.stateOf(job)).toBe('cancelled');
  stage.world.network.set(stage.edges[0]!, true);
  await stage.run(8 * 3_600);
  expect(stage.world.truth.runs).toBe(0);
});

test('the last report of a job is lost on its way: it is sent again and counted once', async () => {
  const stage = new CalmWorld(1);
  const job = stage.submit(2, 5_000);
  await stage.until('at work', () => stage.runningOn(job).length === 1);
  stage.world.faults = { ...calm, dropMessage: 1 };
  await stage.until('both have ended', () => stage.world.truth.runs === 2);
  await stage.run(20);
  expect(stage.stateOf(job)).toBe('running');
  stage.world.faults = calm;
  await stage.ended(job, 30);
  expect(stage.stateOf(job)).toBe('done');
  expect(stage.world.truth.runs).toBe(2);
});

test('what had ended is not run again after disconnection, cordon, restart and return', async () => {
  const stage = new CalmWorld(1);
  const edge = stage.edges[0]!;
  const job = stage.submit(12, 10_000, 30);
  await stage.until('some have ended', () => stage.world.truth.runs >= 3);
  stage.world.network.set(edge, false);
  await stage.until('more have ended, unreported', () => stage.world.truth.runs >= 4);
  stage.world.configure(edge, { cordoned: { reason: 'lid closed', sinceMs: 0 } });
  stage.world.kill(edge, true);
  await stage.run(300);
  stage.world.edges.get(edge)!.boot();
  stage.world.network.set(edge, true);
  await stage.run(20);
  stage.world.configure(edge, { cordoned: null });
  await stage.ended(job);
  expect(stage.stateOf(job)).toBe('done');
  expect(stage.world.truth.runs).toBe(12);
});
