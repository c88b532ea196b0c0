import { type Cron, meansDay } from './cron.ts';
import { scheduleDaysAheadMax } from './limits.ts';
import { type SteadyWhile, steadyWhiles } from './zone-clock.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** A clock is at most so far from UTC, and is set by less than a day and an hour. */
const clockReachMs = 16 * hourMs;

/**
 * The instants that a cron means, those after `afterMs`, in order. A time that the clock skips
 * comes at the first minute after the jump, one that the clock shows twice at its first; where the
 * hour is open it goes on by elapsed time, without a gap and without a repetition.
 */
export function* cronTimes(cron: Cron, zone: string, afterMs: number): Generator<number> {
  const fromMs = Math.floor(afterMs / minuteMs) * minuteMs + minuteMs;
  let lastMs = afterMs;
  // The wall may show yesterday or tomorrow, or a day that was skipped.
  const firstDay = Math.floor((fromMs - clockReachMs - dayMs) / dayMs);
  for (let ahead = 0; ahead < scheduleDaysAheadMax; ahead++) {
    const dayWallMs = (firstDay + ahead) * dayMs;
    if (!meansDay(cron, calendarDay(dayWallMs))) continue;
    for (const atMs of timesOfDay(cron, zone, dayWallMs)) {
      if (atMs <= lastMs) continue;
      lastMs = atMs;
      yield atMs;
    }
  }
}

function calendarDay(wallMs: number) {
  const date = new Date(wallMs);
  return { month: date.getUTCMonth() + 1, day: date.getUTCDate(), weekday: date.getUTCDay() };
}

/** In order. What the clock skipped of the day comes when it has been set. */
function timesOfDay(cron: Cron, zone: string, dayWallMs: number): number[] {
  const whiles = steadyWhiles(zone, dayWallMs - clockReachMs, dayWallMs + dayMs + clockReachMs);
  const found = new Set<number>();
  const shown = new Set<number>();
  for (const [at, now] of whiles.entries()) {
    const before = whiles[at - 1];
    if (before !== undefined && !cron.isEveryHour) addSkipped(cron, dayWallMs, before, now, found);
    for (const wallMs of wallTimes(cron, dayWallMs)) {
      const atMs = wallMs - now.offsetMs;
      if (atMs < now.fromMs || atMs >= now.toMs) continue;
      if (!cron.isEveryHour && shown.has(wallMs)) continue;
      shown.add(wallMs);
      found.add(atMs);
    }
  }
  return [...found].sort((a, b) => a - b);
}

function addSkipped(
  cron: Cron,
  dayWallMs: number,
  before: SteadyWhile,
  now: SteadyWhile,
  found: Set<number>,
): void {
  const fromWallMs = now.fromMs + before.offsetMs;
  const toWallMs = now.fromMs + now.offsetMs;
  for (const wallMs of wallTimes(cron, dayWallMs)) {
    if (wallMs >= fromWallMs && wallMs < toWallMs) found.add(now.fromMs);
  }
}

function* wallTimes({ hours, minutes }: Cron, dayWallMs: number): Generator<number> {
  for (const hour of hours) {
    for (const minute of minutes) yield dayWallMs + hour * hourMs + minute * minuteMs;
  }
}
