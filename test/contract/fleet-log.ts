import { expect, test } from 'vitest';
import type { FleetEvent } from '../../core/events/fleet-event.ts';
import { eventsKeptSeconds, eventsPerRowMax } from '../../core/events/limits.ts';
import { jobIdOf } from '../../core/model/names.ts';
import type { FleetLog, LogPosition } from '../../core/ports/fleet-log.ts';
import type { Contract } from './stores.ts';

const nowMs = Date.parse('2026-03-01T12:00:30Z');

function eventOf(id: string): FleetEvent {
  const where = { job: jobIdOf('job-1'), name: null, queue: 'fast' };
  return {
    id,
    atMs: nowMs,
    kind: 'job.done',
    ...where,
    edge: null,
    pool: 'default',
    jobspec: 'spec-1',
    detail: 'ä ✓ "x"',
  };
}

const idsOf = (read: Awaited<ReturnType<FleetLog['read']>>) =>
  read === 'gone' ? read : read.map(({ event }) => event.id);

/** All that follows, read as far as one read goes at a time. */
async function readOn(log: FleetLog, after: LogPosition | null): Promise<string[]> {
  const ids: string[] = [];
  for (let at = after; ; ) {
    const read = await log.read(at, nowMs);
    if (read === 'gone') throw new Error('it is gone');
    if (read.length === 0) return ids;
    ids.push(...read.map(({ event }) => event.id));
    at = read.at(-1)!.position;
  }
}

/** What every keeper of the fleet's log promises. */
export const fleetLogContract: Contract = (makeStores) => {
  test('events come as they were appended, from any of them on', async () => {
    const { fleetLog } = await makeStores();
    expect(await fleetLog.read(null, nowMs)).toEqual([]);
    const all = ['a', 'b', 'c', 'd'].map(eventOf);
    await fleetLog.append(all.slice(0, 3), nowMs);
    await fleetLog.append(all.slice(3), nowMs);
    const read = await fleetLog.read(null, nowMs);
    expect(read === 'gone' ? read : read.map(({ event }) => event)).toEqual(all);
    for (const [at, { position }] of (read as Exclude<typeof read, 'gone'>).entries()) {
      expect(idsOf(await fleetLog.read(position, nowMs))).toEqual(
        all.slice(at + 1).map(({ id }) => id),
      );
    }
  });

  test('from now on is what is appended later, also where nothing was before', async () => {
    const { fleetLog } = await makeStores();
    const empty = await fleetLog.newest(nowMs);
    expect(await fleetLog.read(empty, nowMs)).toEqual([]);
    await fleetLog.append([eventOf('first')], nowMs + 90_000);
    expect(idsOf(await fleetLog.read(empty, nowMs + 90_000))).toEqual(['first']);
    const newest = await fleetLog.newest(nowMs);
    expect(await fleetLog.read(newest, nowMs)).toEqual([]);
    await fleetLog.append([eventOf('second')], nowMs);
    expect(idsOf(await fleetLog.read(newest, nowMs))).toEqual(['second']);
  });

  test('of many that append at once none is missed, and there is one order', async () => {
    const { fleetLog } = await makeStores();
    const begin = await fleetLog.newest(nowMs);
    const names = Array.from({ length: 12 }, (_, at) => `event-${at}`);
    await Promise.all(names.map((name) => fleetLog.append([eventOf(name)], nowMs)));
    const order = await readOn(fleetLog, begin);
    expect([...order].sort()).toEqual([...names].sort());
    expect(await readOn(fleetLog, null)).toEqual(order);
  });

  test('more than one batch is read to its end', async () => {
    const { fleetLog } = await makeStores();
    const names = Array.from({ length: eventsPerRowMax * 2 + 1 }, (_, at) => `event-${at}`);
    await fleetLog.append(names.map(eventOf), nowMs);
    expect(await readOn(fleetLog, null)).toEqual(names);
  });

  test('who was away for longer than events are kept hears that something is missing', async () => {
    const { fleetLog } = await makeStores();
    await fleetLog.append([eventOf('old')], nowMs);
    const seen = await fleetLog.newest(nowMs);
    await fleetLog.append([eventOf('missed')], nowMs);
    const laterMs = nowMs + eventsKeptSeconds * 1_000 + 60_000;
    await fleetLog.append([eventOf('new')], laterMs);
    expect(await fleetLog.read(seen, laterMs)).toBe('gone');
    expect(idsOf(await fleetLog.read(null, laterMs))).toEqual(['new']);
    expect(idsOf(await fleetLog.read(await fleetLog.newest(laterMs), laterMs))).toEqual([]);
  });
};
