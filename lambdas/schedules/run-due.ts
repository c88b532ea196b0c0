import { jobIdOf } from '../../core/model/names.ts';
import type { SchedulesStore } from '../../core/ports/schedules.ts';
import { schedulesPerTickMax } from '../../core/schedules/limits.ts';
import { dueTurn, type Run, runId, type Schedule } from '../../core/schedules/schedule.ts';
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
  const schedule = await deps.schedules.find(name);
  const turn = schedule === null ? null : dueTurn(schedule, nowMs);
  if (schedule === null || turn === null) return 0;
  const runs: Run[] = missedRuns(turn.missed, nowMs);
  let previous = schedule.lastJob;
  for (const atMs of turn.runs) {
    const wanted = { atMs, id: jobIdOf(runId(name, atMs)), previous, isAsked: false };
    const run = await makeRun(schedule, wanted, nowMs, deps);
    runs.push(run);
    previous = run.job ?? previous;
  }
  const next = afterRuns(schedule, runs, turn.nextAtMs, previous);
  return (await deps.schedules.save(next, schedule.turn, runs)) ? turn.runs.length : 0;
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
  const lastRun = runs.at(-1) ?? schedule.lastRun;
  return { ...schedule, turn: schedule.turn + 1, nextAtMs, lastRun, lastJob: previous };
}
