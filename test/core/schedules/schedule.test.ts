import { expect, test } from 'vitest';
import { runsAtOnceMax } from '../../../core/schedules/limits.ts';
import {
  dueTurn,
  firstTimes,
  nextTime,
  runId,
  type Schedule,
} from '../../../core/schedules/schedule.ts';

const minute = 60_000;
const hour = 60 * minute;
const startMs = Date.parse('2026-05-01T00:00Z');

const hourly = (more: Partial<Schedule> = {}): Schedule => ({
  name: 'hourly',
  pool: 'default',
  queue: 'default',
  cron: '0 * * * *',
  everySeconds: null,
  timezone: 'UTC',
  job: {},
  overlap: 'allow',
  catchUp: 'none',
  startAtMs: null,
  endAtMs: null,
  paused: false,
  createdAtMs: startMs,
  createdBy: 'token:a',
  version: 1,
  turn: 1,
  nextAtMs: startMs + hour,
  lastRun: null,
  lastJob: null,
  ...more,
});

test('nothing is due before its time, and a run is in time when the tick is late or was missed', () => {
  expect(dueTurn(hourly(), startMs + hour - 1)).toBeNull();
  for (const lateMs of [0, minute, 2 * minute]) {
    const turn = dueTurn(hourly(), startMs + hour + lateMs);
    expect(turn).toEqual({ runs: [startMs + hour], missed: [], nextAtMs: startMs + 2 * hour });
  }
  expect(dueTurn(hourly({ paused: true }), startMs + 9 * hour)).toBeNull();
  expect(dueTurn(hourly({ nextAtMs: null }), startMs + 9 * hour)).toBeNull();
});

test('of a minute schedule no time is lost when one tick is', () => {
  const schedule = hourly({ cron: '* * * * *', nextAtMs: startMs + minute });
  const turn = dueTurn(schedule, startMs + 2 * minute);
  expect(turn?.runs).toEqual([startMs + minute, startMs + 2 * minute]);
});

test('what was missed is given up, made up for once, or made up for wholly', () => {
  const nowMs = startMs + 5 * hour + 30 * minute;
  const due = [1, 2, 3, 4, 5].map((n) => startMs + n * hour);
  const after = startMs + 6 * hour;
  const turn = (catchUp: Schedule['catchUp']) => dueTurn(hourly({ catchUp }), nowMs);
  expect(turn('none')).toEqual({ runs: [], missed: due, nextAtMs: after });
  expect(turn('one')).toEqual({ runs: due.slice(-1), missed: due.slice(0, 4), nextAtMs: after });
  expect(turn('all')).toEqual({ runs: due, missed: [], nextAtMs: after });
});

test('many that are made up for come some at a time, and none is lost', () => {
  let schedule = hourly({ catchUp: 'all', cron: null, everySeconds: 3_600 });
  const nowMs = startMs + 35 * hour;
  const made: number[] = [];
  for (let turn = dueTurn(schedule, nowMs); turn !== null; turn = dueTurn(schedule, nowMs)) {
    expect(turn.runs.length).toBeLessThanOrEqual(runsAtOnceMax);
    made.push(...turn.runs);
    schedule = { ...schedule, nextAtMs: turn.nextAtMs };
  }
  expect(made).toEqual(Array.from({ length: 35 }, (_, n) => startMs + (n + 1) * hour));
});

test('after a year without anybody the newest are looked at, and it ends', () => {
  const schedule = hourly({ cron: '* * * * *', catchUp: 'one', nextAtMs: startMs });
  const nowMs = startMs + 365 * 24 * hour;
  const turn = dueTurn(schedule, nowMs);
  expect(turn?.runs.at(-1)).toBe(nowMs);
  expect(turn?.nextAtMs).toBe(nowMs + minute);
  expect(turn!.missed.length).toBeLessThan(1_000);
});

test('times begin and end when they shall', () => {
  const schedule = hourly({ startAtMs: startMs + 3 * hour, endAtMs: startMs + 5 * hour });
  const times = firstTimes(schedule, startMs, 9).map((atMs) => (atMs - startMs) / hour);
  expect(times).toEqual([3, 4, 5]);
  expect(nextTime(schedule, startMs + 5 * hour)).toBeNull();
  const steps = hourly({ cron: null, everySeconds: 90, startAtMs: startMs + 30_000 });
  const seconds = firstTimes(steps, startMs, 3).map((atMs) => (atMs - startMs) / 1_000);
  expect(seconds).toEqual([60, 150, 240]);
});

test('a job has its id from its time', () => {
  expect(runId('nightly', startMs)).toBe('nightly-20260501t0000z');
});
