import { notFound } from '../../../core/contract/problem.ts';
import type {
  ScheduleAnswer,
  ScheduleRunAnswer,
} from '../../../core/contract/schedules/schedule-body.ts';
import { type Caller, seesJob } from '../../../core/model/caller.ts';
import { isName } from '../../../core/model/names.ts';
import { nextTimesShown } from '../../../core/schedules/limits.ts';
import { firstTimes, type Run, type Schedule } from '../../../core/schedules/schedule.ts';
import type { Call } from '../http/call.ts';
import type { Versioned } from '../http/etag.ts';
import { withoutSecret } from '../jobs/view/job-view.ts';
import type { Ports } from '../ports.ts';

/** A schedule as it looks from outside, with its next times as of now. */
export function scheduleView(schedule: Schedule, nowMs: number): Versioned<ScheduleAnswer> {
  const { startAtMs, endAtMs, createdAtMs, lastRun } = schedule;
  const view: ScheduleAnswer = {
    name: schedule.name,
    cron: schedule.cron,
    everySeconds: schedule.everySeconds,
    timezone: schedule.timezone,
    job: withoutSecret(schedule.job as ScheduleAnswer['job']),
    overlap: schedule.overlap,
    catchUp: schedule.catchUp,
    startAt: timeOrNull(startAtMs),
    endAt: timeOrNull(endAtMs),
    paused: schedule.paused,
    createdAt: timeOf(createdAtMs),
    createdBy: schedule.createdBy,
    next: schedule.paused ? [] : firstTimes(schedule, nowMs, nextTimesShown).map(timeOf),
    lastRun: lastRun === null ? null : runView(lastRun),
  };
  return { version: schedule.version, view };
}

/** The answer that makes a schedule: the one that has the secret the ends are signed with. */
export function newScheduleView(schedule: Schedule, nowMs: number): Versioned<ScheduleAnswer> {
  const { version, view } = scheduleView(schedule, nowMs);
  return { version, view: { ...view, job: schedule.job as ScheduleAnswer['job'] } };
}

export function runView({ atMs, madeAtMs, job, outcome, detail }: Run): ScheduleRunAnswer {
  return { at: timeOf(atMs), madeAt: timeOf(madeAtMs), job, outcome, detail };
}

const timeOf = (atMs: number): string => new Date(atMs).toISOString();
const timeOrNull = (atMs: number | null): string | null => (atMs === null ? null : timeOf(atMs));

/** The name in the path. */
export function scheduleOfPath(call: Call): string {
  const name = call.params.name ?? '';
  if (!isName(name)) throw notFound('such schedule');
  return name;
}

/** 404 for one that the caller may not see. */
export async function visibleSchedule(
  name: string,
  caller: Caller,
  { schedules }: Pick<Ports, 'schedules'>,
): Promise<Schedule> {
  const found = await schedules.find(name);
  if (found === null || !isVisible(found, caller)) throw notFound(`schedule "${name}"`);
  return found;
}

export function isVisible({ pool, queue, createdBy }: Schedule, caller: Caller): boolean {
  return seesJob(caller, { spec: { pool, queue }, createdBy });
}
