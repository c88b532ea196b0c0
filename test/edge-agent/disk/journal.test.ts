import {
  appendFileSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { jobIdOf } from '../../../core/model/names.ts';
import { fromChunks } from '../../../core/model/ranges.ts';
import { hostFiles } from '../../../edge-agent/disk/file-system.ts';
import { openJournal } from '../../../edge-agent/disk/journal.ts';
import { snapshotOf } from '../../../edge-agent/disk/journal-compaction.ts';
import {
  decodeRecord,
  encodeRecord,
  type JournalRecord,
} from '../../../edge-agent/disk/journal-record.ts';
import { replay } from '../../../edge-agent/disk/replay.ts';
import { journalPendingMax } from '../../../edge-agent/limits.ts';
import { makeDirectory } from '../agent-runner.ts';

let directory: { path: string; remove: () => void };
let file: string;

beforeEach(() => {
  directory = makeDirectory();
  file = join(directory.path, 'journal.log');
});

afterEach(() => directory.remove());

function end(chunk: number, failure: number | string | null = null, attempt = 1): JournalRecord {
  return { k: 'end', e: 'edge-1', j: 'job', c: chunk, t: attempt, x: failure };
}

test('what was appended is there after a reopening without a close', async () => {
  const { journal } = openJournal(file);
  journal.append(end(1));
  journal.append(end(2, 'signal SIGKILL'));
  expect(openJournal(file).records).toEqual([end(1), end(2, 'signal SIGKILL')]);
  expect(await journal.sync()).toBe(true);
  journal.close();
});

test('wherever the last record is torn, it never was, and all before it are kept', () => {
  const { journal } = openJournal(file);
  journal.append(end(1));
  const { size } = statSync(file);
  journal.append(end(2));
  journal.close();
  const whole = readFileSync(file);
  for (let bytes = size; bytes < whole.length; bytes++) {
    writeFileSync(file, whole);
    truncateSync(file, bytes);
    const opened = openJournal(file);
    expect(opened.records).toEqual([end(1)]);
    expect(opened.damagedLines).toBe(0);
    opened.journal.append(end(3));
    opened.journal.close();
    expect(openJournal(file).records).toEqual([end(1), end(3)]);
  }
});

test('a damaged line in the middle is left out and counted', () => {
  appendFileSync(file, encodeRecord(end(1)));
  appendFileSync(file, encodeRecord(end(2)).replace('"c":2', '"c":9'));
  appendFileSync(file, encodeRecord(end(3)));
  const { records, damagedLines } = openJournal(file);
  expect(records).toEqual([end(1), end(3)]);
  expect(damagedLines).toBe(1);
});

test('a line with any one byte changed is not believed', () => {
  const line = encodeRecord(end(123, 'timeout')).trimEnd();
  fc.assert(
    fc.property(fc.nat(line.length - 1), fc.integer({ min: 32, max: 126 }), (at, code) => {
      const changed = line.slice(0, at) + String.fromCharCode(code) + line.slice(at + 1);
      // Hexadecimal digits may be written in either case; anything else must differ.
      fc.pre(changed.toLowerCase() !== line.toLowerCase());
      expect(decodeRecord(changed)).toBeNull();
    }),
  );
});

test('a rewrite keeps the memory and loses the history', () => {
  const { journal } = openJournal(file);
  for (let chunk = 0; chunk < 30_000; chunk++) journal.append(end(chunk));
  journal.append({ k: 'forget', e: 'edge-1', j: 'job', r: '0-29989' });
  const memory = replay(openJournal(file).records).edges.get('edge-1')!;
  journal.compactIfGrown(() => snapshotOf('edge-1', memory));
  expect(statSync(file).size).toBeLessThan(1_000);
  journal.append(end(40_000));
  journal.close();
  const after = replay(openJournal(file).records).edges.get('edge-1')!;
  expect(after.ledgers.get(jobIdOf('job'))!.done).toEqual([29_990, 30_000, 40_000, 40_001]);
});

test('a full disk is a state, and what waited is written when there is room', async () => {
  let isFull = false;
  const write = (fd: number, bytes: Uint8Array, offset: number): number => {
    if (!isFull) return writeSync(fd, bytes, offset);
    // As a full disk does: some of it, then nothing.
    if (offset === 0) return writeSync(fd, bytes, 0, 5);
    throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
  };
  const { journal } = openJournal(file, { ...hostFiles, write });
  journal.append(end(1));
  isFull = true;
  journal.append(end(2));
  journal.append(end(3));
  expect(journal.state()).toBe('disk-full');
  expect(await journal.sync()).toBe(false);
  expect(journal.retry()).toBe('disk-full');
  expect(openJournal(file).records).toEqual([end(1)]);
  isFull = false;
  expect(journal.retry()).toBe('ok');
  expect(await journal.sync()).toBe(true);
  journal.close();
  expect(openJournal(file).records).toEqual([end(1), end(2), end(3)]);
});

test('what was written before the disk was full is synced before it is reported', async () => {
  let isFull = false;
  let synced = 0;
  const write = (fd: number, bytes: Uint8Array, offset: number): number => {
    if (isFull) throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
    return writeSync(fd, bytes, offset);
  };
  const fdatasync: typeof hostFiles.fdatasync = (fd, done) => {
    synced += 1;
    hostFiles.fdatasync(fd, done);
  };
  const { journal } = openJournal(file, { ...hostFiles, write, fdatasync });
  journal.append(end(1));
  isFull = true;
  journal.append(end(2));
  expect(await journal.sync()).toBe(false);
  expect(synced).toBe(1);
  journal.close();
});

test('what waited is synced as soon as it is written: it may have been reported', async () => {
  let isFull = true;
  const write = (fd: number, bytes: Uint8Array, offset: number): number => {
    if (isFull) throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
    return writeSync(fd, bytes, offset);
  };
  const synced = new Promise<void>((resolve) => {
    const fdatasync: typeof hostFiles.fdatasync = (fd, done) => {
      hostFiles.fdatasync(fd, done);
      resolve();
    };
    const { journal } = openJournal(file, { ...hostFiles, write, fdatasync });
    journal.append(end(1));
    isFull = false;
    expect(journal.retry()).toBe('ok');
  });
  await synced;
  expect(openJournal(file).records).toEqual([end(1)]);
}, 5_000);

test('more than waits for a full disk is in the next rewrite', async () => {
  let isFull = true;
  const write = (fd: number, bytes: Uint8Array, offset: number): number => {
    if (isFull) throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
    return writeSync(fd, bytes, offset);
  };
  const { journal } = openJournal(file, { ...hostFiles, write }, Number.MAX_SAFE_INTEGER);
  for (let chunk = 0; chunk <= journalPendingMax; chunk++) journal.append(end(chunk));
  isFull = false;
  expect(journal.retry()).toBe('ok');
  expect(await journal.sync()).toBe(true);
  journal.compactIfGrown(() => [end(journalPendingMax)]);
  journal.close();
  expect(openJournal(file).records).toEqual([end(journalPendingMax)]);
});

const anyRecord: fc.Arbitrary<JournalRecord> = fc.oneof(
  fc.record({
    k: fc.constant('end' as const),
    e: fc.constantFrom('edge-1', 'edge-2'),
    j: fc.constantFrom('job-a', 'job-b'),
    c: fc.nat(30),
    t: fc.integer({ min: 1, max: 3 }),
    x: fc.option(fc.oneof(fc.nat(255), fc.constant('timeout'))),
  }),
  fc.record({
    k: fc.constant('forget' as const),
    e: fc.constantFrom('edge-1', 'edge-2'),
    j: fc.constantFrom('job-a', 'job-b'),
    r: fc.constantFrom('0-10', '5', '12-30', ''),
  }),
  fc.record({ k: fc.constant('sequence' as const), e: fc.constant('edge-1'), n: fc.nat(9_000) }),
  fc.record({ k: fc.constant('contact' as const), e: fc.constant('edge-1'), at: fc.nat(9_000) }),
  fc.record({
    k: fc.constant('work' as const),
    e: fc.constant('edge-1'),
    w: fc.record({ e: fc.nat(99), w: fc.constant({}) }),
  }),
  fc.record({ k: fc.constant('reset' as const), e: fc.constantFrom('edge-1', 'edge-2') }),
);

test('the snapshot of any history replays to the same memory', () => {
  fc.assert(
    fc.property(fc.array(anyRecord, { maxLength: 60 }), (history) => {
      const memory = replay(history);
      const short = [...memory.edges].flatMap(([edge, one]) => snapshotOf(edge, one));
      const again = replay(short);
      for (const [edge, before] of memory.edges) {
        const after = again.edges.get(edge);
        for (const job of ['job-a', 'job-b'].map(jobIdOf)) {
          expect(after?.ledgers.get(job)).toEqual(before.ledgers.get(job));
        }
        expect(after?.sequence ?? 0).toBe(before.sequence);
        expect(after?.work.epoch ?? 0).toBe(before.work.epoch);
        expect(after?.contactAtMs ?? null).toBe(before.contactAtMs);
      }
    }),
  );
});

test('done is never undone, and a later failure replaces an earlier one', () => {
  const { edges } = replay([end(1), end(1, 5), end(2, 5), end(2, 6, 2), end(3, 1), end(3)]);
  const ledger = edges.get('edge-1')!.ledgers.get(jobIdOf('job'))!;
  expect(ledger.done).toEqual(fromChunks([1, 3]));
  expect([...ledger.failed]).toEqual([[2, { attempt: 2, failure: 6 }]]);
});
