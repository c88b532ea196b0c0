import type { Schedule, ScheduleRun } from '../../../core/contract/resources.ts';
import { durationWords, timeMs } from '../words.ts';

/** When a schedule makes jobs and what became of its times, in words. Pure. */
export function timesWords({ cron, everySeconds, timezone }: Schedule): string {
  if (everySeconds !== null) return `every ${durationWords(everySeconds * 1_000)}`;
  return timezone === 'UTC' ? `${cron} UTC` : `${cron} ${timezone}`;
}

export function nextWords({ paused, next }: Schedule, nowMs: number): string {
  if (paused) return 'paused';
  const atMs = timeMs(next[0]);
  if (atMs === null) return 'never again';
  return atMs <= nowMs ? 'now' : `in ${durationWords(atMs - nowMs)}`;
}

/** Colour and word of a badge; the states of jobs have colours already. */
const outcomeStates = {
  made: 'done',
  skipped: 'cancelled',
  missed: 'cancelled',
  failed: 'failed',
} as const;

export function outcomeState({ outcome }: ScheduleRun): string {
  return outcomeStates[outcome];
}

const outcomes: Readonly<Record<ScheduleRun['outcome'], string>> = {
  made: 'made a job',
  skipped: 'skipped: the job before still ran',
  missed: 'missed: nobody was there to make it',
  failed: 'the job was refused',
};

export function outcomeWords({ outcome, detail }: ScheduleRun): string {
  const words = outcomes[outcome];
  return detail === '' ? words : `${words}: ${detail}`;
}

export const overlapWords: Readonly<Record<Schedule['overlap'], string>> = {
  allow: 'runs beside it',
  skip: 'is skipped',
  replace: 'cancels it',
};

export const catchUpWords: Readonly<Record<Schedule['catchUp'], string>> = {
  none: 'none of them',
  one: 'the last of them',
  all: 'all of them',
};
