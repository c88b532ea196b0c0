import { jobIdOf } from '../../core/model/names.ts';
import type { SchedulesStore } from '../../core/ports/schedules.ts';
import { scheduleClaimMs, schedulesPerTickMax } from '../../core/schedules/limits.ts';
import {
  dueTurn,
  type Run,
  runId,
  type Schedule,
  type Turn,
} from '../../core/schedules/schedule.ts';
import type { Log } from '../log.ts';
import { type MakeRunDeps, makeRun } from './make-run.ts';

export type RunDueDeps = MakeRunDeps & {
  readonly schedules: Pick<SchedulesStore, 'find' | 'listDue' | 'save'>;
  readonly log: Log;
};

/**
 * The jobs of all schedules whose time has come. A tick that is repeated or breaks off makes none
 * twice: jobs have their ids from their times, and a schedule goes on only when they are there. One
 * that cannot be made holds no other up.
 */
export async function runDueSchedules(nowMs: number, deps: RunDueDeps): Promise<number> {
  let runs = 0;
  for (const name of await deps.schedules.listDue(nowMs, schedulesPerTickMax)) {
    try {
      runs += await runSchedule(name, nowMs, deps);
    } catch (error) {
      deps.log.error('schedule-failed', { schedule: name, error: String(error) });
    }
  }
  return runs;
}

async function runSchedule(name: string, nowMs: number, deps: RunDueDeps): Promise<number> {
  const found = await deps.schedules.find(name);
  const turn = found === null ? null : dueTurn(found, nowMs);
  if (found === null || turn === null) return 0;
  const schedule = found.overlap === 'allow' ? found : await claim(found, nowMs, deps);
  if (schedule === null) return 0;
  const before = await madeBefore(name, turn, nowMs, deps);
  const isMade = (atMs: number) => before.some((run) => run.atMs === atMs);
  const newest = before.at(-1);
  const runs = [
    ...missedRuns(
      turn.missed.filter((atMs) => !isMade(atMs)),
      nowMs,
    ),
    ...before,
  ];
  let previous = newest?.job ?? schedule.lastJob;
  for (const atMs of turn.runs.filter((it) => !isMade(it))) {
    if (schedule.overlap !== 'allow' && newest !== undefined && atMs < newest.atMs) {
      runs.push(overtaken(atMs, newest, nowMs));
      continue;
    }
    const wanted = { atMs, id: jobIdOf(runId(name, atMs)), previous, isAsked: false };
    const run = await makeRun(schedule, wanted, nowMs, deps);
    runs.push(run);
    previous = run.job ?? previous;
  }
  const next = afterRuns(schedule, runs, turn.nextAtMs, previous);
  return (await deps.schedules.save(next, schedule.turn, runs)) ? turn.runs.length : 0;
}

/**
 * Whether the job of the time before still runs is looked at before the next is made: of two ticks
 * at once the second would see what the first is about to change. `null`: another acts on it.
 */
async function claim(
  schedule: Schedule,
  nowMs: number,
  { schedules }: Pick<RunDueDeps, 'schedules'>,
): Promise<Schedule | null> {
  if ((schedule.busyUntilMs ?? 0) > nowMs) return null;
  const mine = { ...schedule, turn: schedule.turn + 1, busyUntilMs: nowMs + scheduleClaimMs };
  return (await schedules.save(mine, schedule.turn, [])) ? mine : null;
}

/**
 * Which of several times have their job: a tick that broke off behind it left them due, and late as
 * they are by then they were not missed. One that is alone, and in time, is looked for when it is
 * made.
 */
async function madeBefore(
  name: string,
  { missed, runs }: Turn,
  nowMs: number,
  { jobs }: Pick<RunDueDeps, 'jobs'>,
): Promise<Run[]> {
  const due = [...missed, ...runs];
  if (missed.length === 0 && runs.length < 2) return [];
  const found = await jobs.findMany(due.map((atMs) => jobIdOf(runId(name, atMs))));
  const there = new Set<string>(found.map(({ job }) => job.id));
  return due.flatMap((atMs) => {
    const job = runId(name, atMs);
    if (!there.has(job)) return [];
    return [{ atMs, madeAtMs: nowMs, job, outcome: 'made' as const, detail: '' }];
  });
}

/** The tick that made the later one had left this one out, and nobody wrote down that it had. */
function overtaken(atMs: number, { job }: Run, nowMs: number): Run {
  const detail = `job ${job} of a later time was made before`;
  return { atMs, madeAtMs: nowMs, job: null, outcome: 'skipped', detail };
}

/** The last of them stands for all: what was missed is one thing to know. */
function missedRuns(missed: readonly number[], nowMs: number): Run[] {
  const last = missed.at(-1);
  if (last === undefined) return [];
  const detail = missed.length === 1 ? 'nobody was there' : `with ${missed.length - 1} before it`;
  return [{ atMs: last, madeAtMs: nowMs, job: null, outcome: 'missed', detail }];
}

function afterRuns(
  schedule: Schedule,
  runs: readonly Run[],
  nextAtMs: number | null,
  previous: string | null,
): Schedule {
  const lastRun = runs.toSorted((a, b) => a.atMs - b.atMs).at(-1) ?? schedule.lastRun;
  const { busyUntilMs: _, ...free } = schedule;
  return { ...free, turn: schedule.turn + 1, nextAtMs, lastRun, lastJob: previous };
}
