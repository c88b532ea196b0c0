import { describe, expect, test } from 'vitest';
import { noChunks } from '../../../core/model/job.ts';
import { eventTimeOf, foldJob, percentOf } from '../../../core/model/job-status.ts';
import { edgeNameOf, jobIdOf } from '../../../core/model/names.ts';
import type { WaitingCount } from '../../../core/model/plan.ts';
import { rangeOf } from '../../../core/model/ranges.ts';
import { startMs } from '../cell-fixture.ts';
import { counted, endMs, makeStatus, north, roll, south } from './rollup-stage.ts';

describe('the counts of a job', () => {
  test('are those of its cells together', () => {
    const folded = foldJob(
      makeStatus(),
      [counted({ done: 1, running: 1 }), counted({ dead: 1, pending: 1 })],
      endMs,
    );
    expect(folded.counts).toEqual({
      ...noChunks,
      total: 4,
      done: 1,
      running: 1,
      dead: 1,
      pending: 1,
    });
    expect(folded.state).toBe('running');
  });

  test('take chunks that no cell counts for pending', () => {
    const folded = foldJob(makeStatus(), [counted({ running: 1 })], endMs);
    expect(folded.counts).toMatchObject({ running: 1, pending: 3 });
  });

  test('take chunks that two cells count while they move for pending once', () => {
    const cells = [counted({ pending: 4 }), counted({ pending: 2, running: 1 })];
    expect(foldJob(makeStatus(), cells, endMs).counts).toMatchObject({ pending: 3, running: 1 });
  });

  test('say in percent what power is done, and 100 only when all is', () => {
    const chunking = { chunks: 1_000, chunkPower: 1, lastChunkPower: 1 };
    const part = { chunking, counts: { ...noChunks, total: 1_000, done: 999 }, donePower: 999 };
    expect(percentOf(part)).toBe(99);
    expect(percentOf({ ...part, counts: { ...part.counts, done: 1_000 } })).toBe(100);
    expect(percentOf({ ...part, donePower: 12.9 })).toBe(1);
  });
});

describe('the times of a job', () => {
  test('follow each other, though each is read from another clock', () => {
    const createdAtMs = startMs + 5_000;
    const early = { startedAtMs: createdAtMs - 150, endedAtMs: createdAtMs - 20 };
    const begun = foldJob(
      makeStatus({ createdAtMs }),
      [counted({ running: 4 }, { ...early, endedAtMs: null })],
      endMs,
    );
    expect(begun).toMatchObject({ startedAtMs: createdAtMs, endedAtMs: null });
    const over = foldJob(makeStatus({ createdAtMs }), [counted({ done: 4 }, early)], endMs);
    expect(over).toMatchObject({ startedAtMs: createdAtMs, endedAtMs: createdAtMs });
  });
});

describe('the end of a job', () => {
  test('is done when all is done, at the time of its last cell', () => {
    const cells = {
      [north]: counted({ done: 2 }, { endedAtMs: startMs + 5, startedAtMs: startMs + 2 }),
      [south]: counted({ done: 2 }, { endedAtMs: startMs + 7, startedAtMs: startMs + 1 }),
    };
    const { next, events, settleDependants, progress } = roll(makeStatus(), cells);
    expect(next).toMatchObject({
      state: 'done',
      startedAtMs: startMs + 1,
      endedAtMs: startMs + 7,
      countedAs: 'done',
    });
    expect(events).toEqual([
      expect.objectContaining({
        kind: 'done',
        atMs: startMs + 7,
        detail: '4 of 4 chunks done.',
      }),
    ]);
    expect(settleDependants).toBe(true);
    expect(progress).toEqual({ chunks: 4, jobs: 1 });
  });

  test('comes after its start in the timeline, however late the start was folded', () => {
    const running = counted({ running: 4 }, { startedAtMs: startMs - 60 });
    const submitted = makeStatus({ createdAtMs: startMs - 100 });
    const started = roll(submitted, { [north]: running });
    expect(started.events).toMatchObject([{ kind: 'started', atMs: startMs - 60 }]);
    const ended = counted({ done: 4 }, { startedAtMs: startMs - 60, endedAtMs: startMs - 10 });
    const { events } = roll(started.next, { [north]: ended });
    expect(events).toMatchObject([{ kind: 'done', atMs: startMs - 10 }]);
    const again = roll({ ...started.next, state: 'pending' }, { [north]: running });
    expect(again.events).toMatchObject([{ kind: 'started', atMs: endMs }]);
  });

  test('comes after all that led to it, whatever clock each was read from', () => {
    // The first fold was late: by its clock, chunks ran and ended before they were handed out.
    const early = { startedAtMs: startMs - 60, endedAtMs: startMs - 10 };
    const folds = [
      counted({ scheduled: 4 }),
      counted({ running: 4 }, { startedAtMs: early.startedAtMs }),
      counted({ done: 4 }, early),
    ];
    let status = makeStatus();
    const lines = folds.map((cell) => {
      const { next, events } = roll(status, { [north]: cell });
      status = next;
      return events[0]!;
    });
    expect(lines.map(({ kind }) => kind)).toEqual(['scheduled', 'started', 'done']);
    expect(lines.toSorted((a, b) => a.atMs - b.atMs)).toEqual(lines);
    expect(new Set(lines.map(({ atMs }) => atMs)).size).toBe(3);
    expect([status.startedAtMs, status.endedAtMs]).toEqual([startMs, startMs]);
    expect(eventTimeOf(status, 0)).toBe(lines.at(-1)!.atMs + 1);
  });

  test('comes after its start, also when a user has written a line since by a clock behind', () => {
    const startedAtMs = startMs + 2_000;
    const asked = makeStatus({ cancelled: true, startedAtMs, lastEventAtMs: startMs + 600 });
    const ended = counted({ cancelled: 4 }, { startedAtMs, endedAtMs: startMs + 1_500 });
    const { events } = roll({ ...asked, state: 'running' }, { [north]: ended });
    expect(events).toMatchObject([{ kind: 'cancelled', atMs: startedAtMs + 1 }]);
  });

  test('is failed with the reason of the cell that gave up', () => {
    const cell = counted({ dead: 1, cancelled: 3 }, { reason: 'max-failed-chunks' });
    const { next, events } = roll(makeStatus(), { [north]: cell });
    expect(next).toMatchObject({ state: 'failed', reason: 'max-failed-chunks' });
    const detail = 'More chunks failed than it allows: 0 of 4 chunks done, 1 dead.';
    expect(events).toMatchObject([{ kind: 'failed', detail }]);
  });

  test('folding again what was folded changes nothing', () => {
    const cells = { [north]: counted({ done: 4 }) };
    const once = roll(makeStatus(), cells).next;
    const again = roll(once, cells);
    expect(again.changed).toBe(false);
    expect(again.events).toEqual([]);
    expect(again.progress).toEqual({ chunks: 0, jobs: 0 });
  });
});

describe('a job that was cancelled', () => {
  test('is asked to end in every cell that goes on, the ones it was moved to included', () => {
    const cells = {
      [north]: counted({ cancelled: 2 }, { endedAtMs: startMs }),
      [south]: counted({ pending: 2 }),
    };
    expect(roll(makeStatus({ cancelled: true }), cells).cancel).toEqual([south]);
  });

  test('is cancelled once nothing is left, and asks nobody any more', () => {
    const cells = { [north]: counted({ done: 1, cancelled: 3 }, { endedAtMs: endMs }) };
    const { next, cancel } = roll(makeStatus({ cancelled: true }), cells);
    expect(next.state).toBe('cancelled');
    expect(cancel).toEqual([]);
  });

  test('is done when everything was done before the request came', () => {
    const cells = { [north]: counted({ done: 4 }, { endedAtMs: endMs }) };
    expect(roll(makeStatus({ cancelled: true }), cells).next.state).toBe('done');
  });
});

describe('a job whose dead chunks were asked for again', () => {
  const again = { state: 'pending' as const, retrying: [[north, 2]] as const };
  const failed = counted({ done: 3, dead: 1 }, { endedAtMs: endMs, retryEpoch: 1 });

  test('does not end again by what its cell counted before', () => {
    const { next, changed } = roll(makeStatus(again), { [north]: failed });
    expect(next).toMatchObject({ endedAtMs: null, reason: null, retrying: [[north, 2]] });
    expect(next.counts).toMatchObject({ done: 3, dead: 0, pending: 1 });
    expect([next.state, changed]).toEqual(['running', true]);
  });

  test('reaches cells that have not begun again, when it is cancelled', () => {
    const status = makeStatus({ ...again, cancelled: true });
    expect(roll(status, { [north]: failed }).cancel).toEqual([north]);
  });

  test('ends by what its cell counts since, and awaits nothing any more', () => {
    const since = { ...failed, retryEpoch: 2 };
    const { next } = roll(makeStatus(again), { [north]: since });
    expect(next).toMatchObject({ state: 'failed', retrying: [] });
    expect(next.counts.dead).toBe(1);
  });

  test('counts what died in a cell that was not asked', () => {
    const cells = { [north]: failed, [south]: counted({ dead: 1 }) };
    expect(roll(makeStatus(again), cells).next.counts).toMatchObject({ dead: 1, pending: 0 });
  });
});

describe('a job that waits for others', () => {
  const blockedByDependencies = makeStatus({
    blockedByDependencies: true,
    dependsOn: ['parent-1', 'parent-2'].map(jobIdOf),
    state: 'waiting',
  });

  test('is held until all of them are done', () => {
    const { next, release } = roll(
      blockedByDependencies,
      {},
      { 'parent-1': 'done', 'parent-2': 'running' },
    );
    expect(next).toMatchObject({ blockedByDependencies: true, state: 'waiting' });
    expect(next.counts.waiting).toBe(4);
    expect(release).toEqual([]);
  });

  test('is released in its cells when they are', () => {
    const { next, release } = roll(
      blockedByDependencies,
      {},
      { 'parent-1': 'done', 'parent-2': 'done' },
    );
    expect(next).toMatchObject({ blockedByDependencies: false, state: 'pending' });
    expect(release).toEqual([north]);
  });

  test('is released again as long as a cell does not show it', () => {
    const status = makeStatus({ dependsOn: [jobIdOf('parent-1')], blockedByDependencies: false });
    expect(roll(status, { [north]: counted({ waiting: 4 }) }).release).toEqual([north]);
    expect(roll(status, { [north]: counted({ pending: 4 }) }).release).toEqual([]);
  });

  test.each(['failed', 'cancelled', undefined] as const)(
    'ends with a parent that is %s',
    (state) => {
      const parents = {
        'parent-1': 'done' as const,
        ...(state === undefined ? {} : { 'parent-2': state }),
      };
      const waiting = { [north]: counted({ waiting: 4 }) };
      const { next, cancel, release } = roll(blockedByDependencies, waiting, parents);
      expect(next).toMatchObject({ dependencyFailed: true, reason: 'dependency-failed' });
      expect(next.failedDependency).toBe('parent-2');
      expect(cancel).toEqual([north]);
      // A pass between the two would start what shall never run.
      expect(release).toEqual([]);
      const after = roll(next, { [north]: counted({ cancelled: 4 }, { endedAtMs: endMs }) });
      expect(after.next).toMatchObject({ state: 'failed', reason: 'dependency-failed' });
      const detail = 'It waited for parent-2, which did not end well: 0 of 4 chunks done.';
      expect(after.events).toMatchObject([{ kind: 'failed', detail }]);
    },
  );

  test('an end that its cells know and that was not saved stands, also after a retry', () => {
    const cancelled = { [north]: counted({ cancelled: 4 }, { endedAtMs: endMs }) };
    const retried = { 'parent-1': 'running', 'parent-2': 'done' } as const;
    const rolled = roll(blockedByDependencies, cancelled, retried);
    expect(rolled.next).toMatchObject({
      state: 'failed',
      dependencyFailed: true,
      reason: 'dependency-failed',
    });
    const byUser = { ...blockedByDependencies, cancelled: true };
    const asked = roll(byUser, cancelled, retried);
    expect(asked.next).toMatchObject({ state: 'cancelled', dependencyFailed: false });
  });
});

test('reasons to wait are added up over cells', () => {
  const waits = (chunks: number, edge: string): WaitingCount => ({
    reason: 'no-free-power',
    chunks,
    edges: 2,
    examples: [edgeNameOf(edge)],
    detail: 'too little',
  });
  const cells = {
    [north]: counted({ pending: 3 }, { waiting: [waits(3, 'a')] }),
    [south]: counted({ pending: 1 }, { waiting: [waits(1, 'b')] }),
  };
  expect(roll(makeStatus(), cells).next.waiting).toEqual([
    { reason: 'no-free-power', chunks: 4, edges: 4, examples: ['a', 'b'], detail: 'too little' },
  ]);
});

test('failures in several cells together end the job early, although no cell has too many', () => {
  const status = makeStatus({ maxFailedChunks: 1, cells: [north, south] });
  const cells = {
    [north]: counted({ total: 2, dead: 1, pending: 1 }),
    [south]: counted({ total: 2, dead: 1, pending: 1 }),
  };
  const rolled = roll(status, cells);
  expect(rolled.next.reason).toBe('max-failed-chunks');
  expect(rolled.cancel).toEqual([north, south]);
  expect(roll(makeStatus({ maxFailedChunks: 2, cells: [north, south] }), cells).cancel).toEqual([]);
});

describe('a job of which its user cancelled some chunks', () => {
  const asked = { cancelledRanges: rangeOf(2, 4) };
  const others = { cancelled: rangeOf(2, 4) };

  test('is done when the others are', () => {
    const cell = counted({ total: 4, done: 2, cancelled: 2 }, { ...others, endedAtMs: endMs });
    const { next, events } = roll(makeStatus({ ...asked, state: 'running' }), { [north]: cell });
    expect(next).toMatchObject({ state: 'done', reason: null });
    expect(percentOf(next)).toBe(100);
    expect(events).toMatchObject([{ kind: 'done', detail: '2 of 4 chunks done, 2 cancelled.' }]);
  });

  test('is failed when one of the others is dead, or ended by something else', () => {
    const dead = counted({ total: 4, done: 1, dead: 1, cancelled: 2 }, others);
    expect(roll(makeStatus(asked), { [north]: dead }).next).toMatchObject({ state: 'failed' });
    const late = counted(
      { total: 4, done: 1, cancelled: 3 },
      { cancelled: rangeOf(1, 4), reason: 'deadline' },
    );
    const { next } = roll(makeStatus(asked), { [north]: late });
    expect(next).toMatchObject({ state: 'failed', reason: 'deadline' });
    expect(percentOf(next)).toBeLessThan(100);
  });

  test('is cancelled when there are no others', () => {
    const all = { cancelledRanges: rangeOf(0, 4) };
    const cell = counted(
      { total: 4, cancelled: 4 },
      { cancelled: rangeOf(0, 4), endedAtMs: endMs },
    );
    const { next } = roll(makeStatus(all), { [north]: cell });
    expect(next).toMatchObject({ state: 'cancelled', reason: 'cancelled' });
    expect(percentOf(next)).toBe(0);
  });

  test('goes on, and its percents are of what is still wanted', () => {
    const cell = counted({ total: 4, done: 1, running: 1, cancelled: 2 }, others);
    const { next } = roll(makeStatus(asked), { [north]: cell });
    expect(next.state).toBe('running');
    expect(percentOf(next)).toBe(49);
  });

  test('still waits for the jobs that it depends on', () => {
    const waits = makeStatus({ ...asked, dependsOn: [jobIdOf('p')], blockedByDependencies: true });
    const cell = counted({ total: 4, waiting: 2, cancelled: 2 }, others);
    const { next, cancel } = roll(waits, { [north]: cell }, { p: 'running' });
    expect(next).toMatchObject({ state: 'waiting', dependencyFailed: false });
    expect(cancel).toEqual([]);
  });
});
