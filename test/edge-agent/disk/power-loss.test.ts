import { expect, test } from 'vitest';
import { type OpenedJournal, openJournal } from '../../../edge-agent/disk/journal.ts';
import type { JournalRecord } from '../../../edge-agent/disk/journal-record.ts';
import { Disk } from '../../sim/edge/disk.ts';
import { seededRandom } from '../../sim/seeded-random.ts';

/** A journal on a disk that keeps what it must and no more, whatever it happens to keep besides. */
const seeds = Array.from({ length: 40 }, (_, at) => at + 1);
const path = '/data/journal.log';

function open(disk: Disk, rewriteBytesMin?: number): OpenedJournal {
  const files = disk.mount(
    () => true,
    () => Promise.resolve(),
  );
  return openJournal(path, files, rewriteBytesMin);
}

const end = (chunk: number): JournalRecord => ({
  k: 'end',
  e: 'edge-1',
  j: 'job',
  c: chunk,
  t: 1,
  x: null,
});

function afterPowerLoss(disk: Disk, seed: number): readonly JournalRecord[] {
  disk.losePower(seededRandom(seed));
  return open(disk).records;
}

test('what was synced is there, that of a new journal too', async () => {
  for (const seed of seeds) {
    const disk = new Disk();
    const { journal } = open(disk);
    journal.append(end(1));
    expect(await journal.sync()).toBe(true);
    journal.append(end(2));
    expect(afterPowerLoss(disk, seed)[0]).toEqual(end(1));
  }
});

test('what an earlier start wrote is synced before it is reported', async () => {
  for (const seed of seeds) {
    const disk = new Disk();
    const first = open(disk).journal;
    first.append(end(1));
    expect(await first.sync()).toBe(true);
    first.append(end(2));
    const { journal, records } = open(disk);
    expect(records).toEqual([end(1), end(2)]);
    expect(await journal.sync()).toBe(true);
    expect(afterPowerLoss(disk, seed)).toEqual([end(1), end(2)]);
  }
});

test('a life that ends after rewriting leaves no other journal behind', async () => {
  for (const seed of seeds) {
    const disk = new Disk();
    const first = open(disk, 1).journal;
    for (const chunk of [1, 2, 3]) first.append(end(chunk));
    expect(await first.sync()).toBe(true);
    first.compactIfGrown(() => [end(3)]);
    const { journal } = open(disk);
    journal.append(end(4));
    expect(await journal.sync()).toBe(true);
    expect(afterPowerLoss(disk, seed)).toEqual([end(3), end(4)]);
  }
});

test('a rewritten journal is the old one or the new one', async () => {
  for (const seed of seeds) {
    const disk = new Disk();
    const { journal } = open(disk, 1);
    for (const chunk of [1, 2, 3]) journal.append(end(chunk));
    expect(await journal.sync()).toBe(true);
    journal.compactIfGrown(() => [end(3)]);
    journal.append(end(4));
    expect(await journal.sync()).toBe(true);
    expect(afterPowerLoss(disk, seed)).toEqual([end(3), end(4)]);
  }
});
