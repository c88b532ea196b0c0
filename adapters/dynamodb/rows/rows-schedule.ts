import { runKeptMs } from '../../../core/schedules/limits.ts';
import {
  catchUps,
  overlaps,
  type Run,
  runOutcomes,
  type Schedule,
} from '../../../core/schedules/schedule.ts';
import { scheduleKey, scheduleListKey, scheduleOfRow, scheduleRunKey } from '../keys.ts';
import type { Row } from '../table.ts';
import {
  amountOrNull,
  flag,
  json,
  text,
  textOrNull,
  time,
  timeOrNull,
  whole,
  word,
} from './row-values.ts';
import { isText, orNull, recordOf } from './shapes.ts';

/** `SCHEDULE#<name>/SCHEDULE`: a job that is made again and again, and when next. */
export function encodeSchedule(schedule: Schedule): Row {
  const { name, job, lastRun, ...plain } = schedule;
  return {
    ...plain,
    ...scheduleKey(name),
    ...scheduleListKey(name, schedule.paused ? null : schedule.nextAtMs),
    job: JSON.stringify(job),
    lastRun: JSON.stringify(lastRun),
  };
}

const isRun = recordOf({
  atMs: Number.isFinite,
  madeAtMs: Number.isFinite,
  job: orNull(isText),
  outcome: isText,
  detail: isText,
});

export function decodeSchedule(row: Row): Schedule {
  const job = json<unknown>(row.job, recordOf({ run: () => true }), null);
  if (job === null) throw new Error(`${row.pk} ${row.sk} holds no job`);
  return {
    name: scheduleOfRow(row),
    pool: text(row.pool),
    queue: text(row.queue),
    cron: textOrNull(row.cron),
    everySeconds: amountOrNull(row.everySeconds),
    timezone: text(row.timezone, 'UTC'),
    job,
    overlap: word(row.overlap, overlaps, 'allow'),
    catchUp: word(row.catchUp, catchUps, 'none'),
    startAtMs: timeOrNull(row.startAtMs),
    endAtMs: timeOrNull(row.endAtMs),
    paused: flag(row.paused),
    createdAtMs: time(row.createdAtMs),
    createdBy: text(row.createdBy),
    version: whole(row.version),
    turn: whole(row.turn),
    nextAtMs: timeOrNull(row.nextAtMs),
    lastRun: json<Run | null>(row.lastRun, orNull(isRun), null),
    lastJob: textOrNull(row.lastJob),
    ...(row.busyUntilMs === undefined ? {} : { busyUntilMs: time(row.busyUntilMs) }),
  };
}

/** `SCHEDULE#<name>/RUN#<time>`: what became of one of its times, for a month. */
export function encodeRun(name: string, run: Run): Row {
  const expiresAt = Math.ceil((run.madeAtMs + runKeptMs) / 1_000);
  return { ...scheduleRunKey(name, run.atMs), ...run, expiresAt };
}

export function decodeRun(row: Row): Run {
  return {
    atMs: time(row.atMs),
    madeAtMs: time(row.madeAtMs),
    job: textOrNull(row.job),
    outcome: word(row.outcome, runOutcomes, 'failed'),
    detail: text(row.detail),
  };
}
