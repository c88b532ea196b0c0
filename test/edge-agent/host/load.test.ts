import { expect, test } from 'vitest';
import { makeFactsBoard } from '../../../edge-agent/host/facts.ts';
import { type LoadReadings, readingsOfHost, watchLoad } from '../../../edge-agent/host/load.ts';
import { factsEveryMs } from '../../../edge-agent/limits.ts';
import { makeHandClock } from '../hand-clock.ts';

/** A host whose figures the test says; processors tell the time that they have been idle. */
function stage() {
  const host = { idleMs: 900, totalMs: 1_000, memoryMb: 8_000, diskGb: 100, queued: 7 as unknown };
  const readings: LoadReadings = {
    processors: () => ({ idleMs: host.idleMs, totalMs: host.totalMs }),
    memoryFreeBytes: () => host.memoryMb * 1024 * 1024,
    diskFreeBytes: () => host.diskGb * 1e9,
    queued: async () => {
      if (host.queued instanceof Error) throw host.queued;
      return host.queued as number | null;
    },
  };
  const watch = watchLoad(readings);
  /** What the queue says is known at the next look. */
  const look = async () => {
    const load = watch();
    await new Promise((resolve) => setImmediate(resolve));
    return load;
  };
  const work = (idleMs: number) => {
    host.idleMs += idleMs;
    host.totalMs += 1_000;
  };
  return { host, look, work };
}

test('the load says what is free: of the processors since the look before', async () => {
  const { look, work } = stage();
  expect(await look()).toEqual({ cpuFreePercent: 90, memoryFreeMb: 8_000, diskFreeGb: 100 });
  work(250);
  expect(await look()).toMatchObject({ cpuFreePercent: 25, jobsQueued: 7 });
});

test('what was reported stays until one of the figures has moved by a tenth', async () => {
  const { host, look, work } = stage();
  host.queued = null;
  const first = await look();
  work(870);
  host.memoryMb = 7_300;
  host.diskGb = 95;
  expect(await look()).toBe(first);
  work(900);
  host.memoryMb = 7_200;
  const second = await look();
  expect(second).toEqual({ cpuFreePercent: 90, memoryFreeMb: 7_200, diskFreeGb: 95 });
  work(900);
  // From what was reported, and not from the look before.
  host.memoryMb = 7_900;
  expect(await look()).toBe(second);
});

test('of very little a tenth is noise', async () => {
  const { host, look, work } = stage();
  host.queued = null;
  host.memoryMb = 100;
  work(-880);
  const first = await look();
  expect(first.cpuFreePercent).toBe(1);
  work(30);
  host.memoryMb = 60;
  expect(await look()).toBe(first);
});

test('a queue that answers no more is not reported', async () => {
  const { host, look, work } = stage();
  await look();
  work(900);
  expect(await look()).toMatchObject({ jobsQueued: 7 });
  host.queued = new Error('away');
  work(900);
  await look();
  work(900);
  expect(await look()).not.toHaveProperty('jobsQueued');
});

test('facts are the same object until the load has moved, looked at once a minute', async () => {
  const { host, look, work } = stage();
  const clock = makeHandClock();
  host.queued = null;
  let load = await look();
  const board = makeFactsBoard(clock, () => ({
    capacity: { power: 1 },
    labels: {},
    facts: { load },
  }));
  const first = board();
  const minute = async () => {
    clock.after(factsEveryMs, () => {});
    await clock.wind();
    work(900);
    load = await look();
    return board();
  };
  expect(await minute()).toBe(first);
  host.diskGb = 80;
  expect((await minute()).facts).toMatchObject({ load: { diskFreeGb: 80 } });
});

test('this host has readings', () => {
  const { processors, memoryFreeBytes, diskFreeBytes } = readingsOfHost(import.meta.dirname);
  const { idleMs, totalMs } = processors();
  expect(totalMs).toBeGreaterThanOrEqual(idleMs);
  expect(memoryFreeBytes()).toBeGreaterThan(0);
  expect(diskFreeBytes()).toBeGreaterThan(0);
  expect(readingsOfHost('/nowhere').diskFreeBytes()).toBeNull();
});
