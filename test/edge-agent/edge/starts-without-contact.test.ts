import { expect, test } from 'vitest';
import type { JournalRecord } from '../../../edge-agent/disk/journal-record.ts';
import { replay } from '../../../edge-agent/disk/replay.ts';
import { countStarts, type StartCount } from '../../../edge-agent/edge/starts-without-contact.ts';
import {
  contactWaitMs,
  contactWaitMsMax,
  startsWithoutContactMax,
} from '../../../edge-agent/limits.ts';
import { makeHandClock } from '../hand-clock.ts';

/** One start of an agent after the other, over one journal that is synced when the test says so. */
function stage() {
  const records: JournalRecord[] = [];
  let syncing = Promise.withResolvers<boolean>();
  const journal = {
    append: (...more: JournalRecord[]) => void records.push(...more),
    sync: () => syncing.promise,
  };
  const start = async (hasWork = true) => {
    const clock = makeHandClock();
    let looks = 0;
    const alone = replay(records).edges.get('edge-1')?.startsWithoutContact ?? 0;
    const log: string[] = [];
    const deps = { name: 'edge-1', clock, journal, log: (line: string) => void log.push(line) };
    const starts = countStarts(deps, alone, () => {
      looks += 1;
    });
    starts.begin(hasWork);
    return { starts, clock, log, looks: () => looks };
  };
  const disk = async () => {
    syncing.resolve(true);
    syncing = Promise.withResolvers();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { records, start, disk };
}

async function dieAlone(times: number) {
  const place = stage();
  for (let life = 0; life < times; life++) {
    await place.start();
    await place.disk();
  }
  return place;
}

test('what an agent remembers starts once its start is safe on disk', async () => {
  const { start, disk } = stage();
  const life = await start();
  expect(life.clock.nextWaitMs()).toBeNull();
  await disk();
  expect(life.clock.nextWaitMs()).toBe(0);
  expect(life.starts.mayStart()).toBe(false);
  await life.clock.wind();
  expect(life.starts.mayStart()).toBe(true);
  expect(life.looks()).toBe(1);
});

test('an agent that remembers no work writes nothing and waits for nothing', async () => {
  const { records, start } = stage();
  const life = await start(false);
  expect(life.starts.mayStart()).toBe(true);
  expect(records).toEqual([]);
});

test('after a few starts without contact nothing starts before both have met', async () => {
  const { start, disk } = await dieAlone(startsWithoutContactMax);
  const life = await start();
  await disk();
  expect(life.starts.mayStart()).toBe(false);
  expect(life.log.join()).toMatch(/starts nothing/);
  life.starts.arrived();
  expect(life.starts.mayStart()).toBe(false);
  life.starts.reported();
  expect(life.starts.mayStart()).toBe(true);
  expect(life.looks()).toBe(1);
});

test('one start fewer holds nothing back', async () => {
  const { start, disk } = await dieAlone(startsWithoutContactMax - 1);
  const life = await start();
  await disk();
  expect(life.clock.nextWaitMs()).toBe(0);
});

test('without a link it goes on after a while, which doubles and has an end', async () => {
  const { start, disk } = await dieAlone(startsWithoutContactMax);
  const waits: (number | null)[] = [];
  for (let life = 0; life < 8; life++) {
    const { starts, clock } = await start();
    await disk();
    waits.push(clock.nextWaitMs());
    await clock.wind();
    expect(starts.mayStart()).toBe(true);
  }
  expect(waits.slice(0, 2)).toEqual([contactWaitMs, 2 * contactWaitMs]);
  expect(waits.at(-1)).toBe(contactWaitMsMax);
});

test.each<[string, (starts: StartCount) => void]>([
  [
    'has contact',
    (starts) => {
      starts.reported();
      starts.arrived();
    },
  ],
  ['ends in order', (starts) => starts.stopped()],
])('a start that %s is none of them, and that is written once', async (_, end) => {
  const { records, start, disk } = await dieAlone(startsWithoutContactMax);
  const life = await start();
  await disk();
  end(life.starts);
  end(life.starts);
  expect(records.length).toBe(startsWithoutContactMax + 2);
  const next = await start();
  await disk();
  expect(next.clock.nextWaitMs()).toBe(0);
});

test('an agent that ends starts nothing more, whoever comes', async () => {
  const { start, disk } = stage();
  const life = await start();
  life.starts.stopped();
  life.starts.arrived();
  life.starts.reported();
  await disk();
  expect(life.starts.mayStart()).toBe(false);
});
