import { catchUps, nextTime, overlaps, type Schedule } from '../../../core/schedules/schedule.ts';
import type { SeededRandom } from '../seeded-random.ts';

const crons = ['*/7 * * * *', '30 1,2 * * *', '*/20 1-4 * * *', '5 * * * *', '@hourly'];
const zones = ['UTC', 'Europe/Berlin', 'Australia/Lord_Howe', 'Pacific/Chatham'];

/** Any schedule that a user could make. */
export function drawSchedule(name: string, nowMs: number, random: SeededRandom): Schedule {
  const isCron = random.chance(0.6);
  const startAtMs = random.chance(0.2) ? nowMs + random.between(1, 90) * 60_000 : null;
  const endAtMs = random.chance(0.2) ? nowMs + random.between(200, 600) * 60_000 : null;
  const schedule = {
    ...{ name, pool: 'default', queue: 'default', startAtMs, endAtMs, paused: false },
    cron: isCron ? random.pick(crons) : null,
    everySeconds: isCron ? null : random.pick([60, 90, 300, 1_260]),
    timezone: random.pick(zones),
    job: { chunks: 1, run: { simulate: { seconds: 1 } } },
    overlap: random.pick(overlaps),
    catchUp: random.pick(catchUps),
    ...{ createdAtMs: nowMs, createdBy: 'token:a', version: 1, turn: 1 },
    ...{ lastRun: null, lastJob: null },
  };
  return { ...schedule, nextAtMs: nextTime(schedule, nowMs) };
}
