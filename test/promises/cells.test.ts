import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chunkStates } from '../../core/contract/job-answer.ts';
import type { CellJob } from '../../core/model/cell.ts';
import { type ChunkCounts, isFinal, noChunks, stateOfCounts } from '../../core/model/job.ts';
import { count, subtract } from '../../core/model/ranges.ts';
import { explain } from '../../core/scheduler/explain.ts';
import { leasedIn } from '../core/invariants.ts';
import { type Command, commands, newWorld, play, runPass, type World } from '../core/world.ts';

/** What holds of every cell, whatever its life was: checked on random lives. */

const runs = Number(process.env.EDGEWISE_PROPERTY_RUNS ?? 60);

function pendingOf(world: World, job: CellJob): number {
  const { ranges, done, dead, cancelled } = job.slice;
  const ended = [done, dead, cancelled].reduce((left, part) => subtract(left, part), ranges);
  return count(subtract(ended, leasedIn(world.cell, job)));
}

test('whatever waits has a reason, and the reason has words', () => {
  let waited = 0;
  fc.assert(
    fc.property(fc.array(commands, { minLength: 5, maxLength: 50 }), (list: Command[]) => {
      const world = newWorld();
      for (const command of list) play(world, command);
      while (runPass(world));
      for (const job of world.cell.jobs.values()) {
        if (pendingOf(world, job) === 0 || job.intent.cancelled) continue;
        waited += 1;
        const reasons = explain(world.cell, job.id, world.nowMs);
        expect(reasons.length, `${job.id} waits for nothing`).toBeGreaterThan(0);
        for (const { reason, chunks, detail } of reasons) {
          expect(reason).toMatch(/^[a-z-]+$/);
          expect(chunks).toBeGreaterThan(0);
          expect(detail).not.toBe('');
        }
      }
    }),
    { numRuns: runs, seed: 7 },
  );
  expect(waited).toBeGreaterThan(runs / 4);
});

test('thirty thousand chunks on hosts that vanish again and again: each is done once', () => {
  const world = newWorld();
  world.failing = false;
  for (let edge = 0; edge < 8; edge++) {
    play(world, { kind: 'add-edge', power: 400, gpus: 0, site: 0 });
  }
  play(world, {
    kind: 'submit',
    chunks: 30_000,
    power: 100,
    extra: 0,
    queue: 0,
    priority: 0,
    shape: 0,
  });
  let rounds = 0;
  let losses = 0;
  while (world.cell.jobs.size > 0) {
    if (++rounds > 2_000) throw new Error('it never ends');
    world.nowMs += 10_000;
    play(world, { kind: 'tick' });
    for (let edge = 0; edge < 8; edge++) play(world, { kind: 'edge', edge, steps: 60 });
    if (rounds % 3 === 0) {
      // Between reports, with an empty disk after: what it had not reported is done again
      // elsewhere.
      const edge = (rounds / 3) % 8;
      play(world, { kind: 'link', edge, connected: false });
      play(world, { kind: 'wipe', edge });
      for (let tick = 0; tick < 2; tick++) {
        world.nowMs += 35_000;
        play(world, { kind: 'tick' });
        while (runPass(world));
      }
      play(world, { kind: 'link', edge, connected: true });
      losses += 1;
    }
    while (runPass(world));
  }
  expect(losses).toBeGreaterThan(5);
  expect(world.cell.meta.summary.chunks).toMatchObject({ done: 30_000, dead: 0, pending: 0 });
  expect(world.cell.meta.summary.power.served).toBe(3_000_000);
});

test('a job is over exactly when no chunk of it is open', () => {
  for (let bits = 1; bits < 1 << chunkStates.length; bits++) {
    const counts: Record<string, number> = { ...noChunks };
    chunkStates.forEach((name, at) => {
      counts[name] = (bits >> at) & 1 ? 2 : 0;
      counts.total = (counts.total ?? 0) + counts[name];
    });
    const open = chunkStates.slice(0, 4).some((name) => counts[name]! > 0);
    for (const ended of [
      { cancelled: false, failed: false },
      { cancelled: true, failed: false },
      { cancelled: false, failed: true },
    ]) {
      const state = stateOfCounts(counts as unknown as ChunkCounts, ended);
      expect([counts, ended, isFinal(state)]).toEqual([counts, ended, !open]);
      if (state === 'done') expect(counts.done).toBe(counts.total);
    }
  }
});
