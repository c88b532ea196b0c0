import { type Cron, parseCron } from './cron.ts';
import { cronTimes } from './cron-times.ts';
import { missedRunsMax, runsAtOnceMax, scheduleLateMsMax } from './limits.ts';

/** A job that is made again and again: when, and what becomes of times that cannot be kept. */
export type Schedule = {
  readonly name: string;
  /** Of the job: who sees those sees the schedule. */
  readonly pool: string;
  readonly queue: string;
  /** One of the two is given. */
  readonly cron: string | null;
  readonly everySeconds: number | null;
  readonly timezone: string;
  /** The body of the job, checked. */
  readonly job: unknown;
  readonly overlap: Overlap;
  readonly catchUp: CatchUp;
  readonly startAtMs: number | null;
  readonly endAtMs: number | null;
  readonly paused: boolean;
  readonly createdAtMs: number;
  readonly createdBy: string;
  /** Counts the writes of users. */
  readonly version: number;
  /** Counts all writes: of two that act on the same one is stored. */
  readonly turn: number;
  /** `null`: never again, or not while it is paused. */
  readonly nextAtMs: number | null;
  readonly lastRun: Run | null;
  /** The last job that was made by time, which may still run. */
  readonly lastJob: string | null;
  /** A tick acts on it, which may not last longer than this; absent: none does. */
  readonly busyUntilMs?: number;
};

export const overlaps = ['allow', 'skip', 'replace'] as const;
export type Overlap = (typeof overlaps)[number];
export const catchUps = ['none', 'one', 'all'] as const;
export type CatchUp = (typeof catchUps)[number];

/** What became of one of its times. */
export type Run = {
  /** When it was due. */
  readonly atMs: number;
  readonly madeAtMs: number;
  /** `null`: none was made. */
  readonly job: string | null;
  readonly outcome: RunOutcome;
  readonly detail: string;
};

export const runOutcomes = ['made', 'skipped', 'missed', 'failed'] as const;
export type RunOutcome = (typeof runOutcomes)[number];

type Times = Pick<
  Schedule,
  'cron' | 'everySeconds' | 'timezone' | 'startAtMs' | 'endAtMs' | 'createdAtMs'
>;

const minuteMs = 60_000;

/** All its times after this one, in order. */
export function* timesOf(schedule: Times, afterMs: number): Generator<number> {
  const { startAtMs, endAtMs } = schedule;
  const fromMs = startAtMs === null ? afterMs : Math.max(afterMs, startAtMs - 1);
  for (const atMs of rawTimes(schedule, fromMs)) {
    if (endAtMs !== null && atMs > endAtMs) return;
    yield atMs;
  }
}

function rawTimes(schedule: Times, afterMs: number): Iterable<number> {
  const { cron, everySeconds, timezone, startAtMs, createdAtMs } = schedule;
  if (everySeconds !== null) return steps(startAtMs ?? createdAtMs, everySeconds * 1_000, afterMs);
  const parsed: Cron | string = parseCron(cron ?? '');
  return typeof parsed === 'string' ? [] : cronTimes(parsed, timezone, afterMs);
}

/** Whole minutes: what is due within one comes with the tick of the next. */
function* steps(beginMs: number, stepMs: number, afterMs: number): Generator<number> {
  const firstMs = Math.ceil(beginMs / minuteMs) * minuteMs;
  const gone = Math.max(0, Math.floor((afterMs - firstMs) / stepMs));
  for (let atMs = firstMs + gone * stepMs; Number.isSafeInteger(atMs); atMs += stepMs) {
    if (atMs > afterMs) yield atMs;
  }
}

export function nextTime(schedule: Times, afterMs: number): number | null {
  const [first] = firstTimes(schedule, afterMs, 1);
  return first ?? null;
}

export function firstTimes(schedule: Times, afterMs: number, count: number): number[] {
  const times: number[] = [];
  for (const atMs of timesOf(schedule, afterMs)) {
    times.push(atMs);
    if (times.length === count) break;
  }
  return times;
}

/** What a tick has to do for a schedule. */
export type Turn = {
  /** Times for which a job is made, in order. */
  readonly runs: readonly number[];
  /** Times that were missed and are given up. */
  readonly missed: readonly number[];
  /** What it waits for afterwards. */
  readonly nextAtMs: number | null;
};

/** `null`: nothing is due. What is late by a tick or two is still in time. */
export function dueTurn(schedule: Schedule, nowMs: number): Turn | null {
  const { nextAtMs, paused, catchUp } = schedule;
  if (paused || nextAtMs === null || nextAtMs > nowMs) return null;
  const due = dueTimes(schedule, nextAtMs, nowMs);
  const after = nextTime(schedule, due.at(-1) ?? nowMs);
  if (catchUp === 'all') {
    const runs = due.slice(0, runsAtOnceMax);
    return { runs, missed: [], nextAtMs: due[runs.length] ?? after };
  }
  const newest = catchUp === 'one' ? due.at(-1) : undefined;
  const isRun = (atMs: number) => nowMs - atMs <= scheduleLateMsMax || atMs === newest;
  const runs = due.filter(isRun).slice(-runsAtOnceMax);
  const missed = due.filter((atMs) => !runs.includes(atMs));
  return { runs, missed, nextAtMs: after };
}

function dueTimes(schedule: Schedule, nextAtMs: number, nowMs: number): number[] {
  let due: number[] = [nextAtMs];
  for (const atMs of timesOf(schedule, nextAtMs)) {
    if (atMs > nowMs) return due;
    due.push(atMs);
    if (due.length < missedRunsMax) continue;
    // So many were missed that only the newest still matter.
    due = [];
    for (const late of timesOf(schedule, nowMs - (missedRunsMax * minuteMs) / 2)) {
      if (late > nowMs) break;
      due.push(late);
    }
    return due;
  }
  return due;
}

/** The job of a time has its id from it: however often it is made, it is one. */
export function runId(name: string, atMs: number): string {
  const time = new Date(atMs).toISOString();
  return `${name}-${time.slice(0, 16).replace(/[-:]/g, '').toLowerCase()}z`;
}

/** Of a run that somebody asked for. */
export function askedRunId(name: string, atMs: number): string {
  const time = new Date(atMs).toISOString();
  return `${name}-${time.slice(0, 19).replace(/[-:]/g, '').toLowerCase()}r`;
}
