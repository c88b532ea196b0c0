import { changeAttemptsMax } from '../../../core/model/limits.ts';
import { jobIdOf } from '../../../core/model/names.ts';
import { askedRunId, type Run } from '../../../core/schedules/schedule.ts';
import { type MakeRunDeps, makeRun } from '../../schedules/make-run.ts';
import { audit } from '../http/audit.ts';
import { checkQuery } from '../http/call.ts';
import { checkNoFields } from '../http/json-body.ts';
import { contended } from '../http/outage.ts';
import { type Context, defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { runView, scheduleOfPath, visibleSchedule } from './schedule-view.ts';

/**
 * `POST /v1/schedules/{name}/run`: makes the job now, whether it is paused and whatever still runs.
 * Two requests within one second are one run.
 */
export const runSchedule = defineOperation({
  name: 'runSchedule',
  read: (call) => {
    checkQuery(call, []);
    checkNoFields(call);
    return scheduleOfPath(call);
  },
  run: async (name, context, deps: RunDeps): Promise<Run> => {
    const run = await makeAsked(name, context, deps);
    for (let attempt = 1; attempt <= changeAttemptsMax; attempt++) {
      const found = await visibleSchedule(name, context.caller, deps);
      const next = { ...found, turn: found.turn + 1, lastRun: run };
      if (!(await deps.schedules.save(next, found.turn, [run]))) continue;
      await audit(context, deps, 'schedule-run', name);
      return run;
    }
    throw contended();
  },
  answer: (run) => ({ status: 202, body: runView(run) }),
});

type RunDeps = MakeRunDeps & Pick<Ports, 'schedules' | 'audit'>;

async function makeAsked(name: string, { caller, nowMs }: Context, deps: RunDeps): Promise<Run> {
  const found = await visibleSchedule(name, caller, deps);
  const atMs = Math.floor(nowMs / 1_000) * 1_000;
  const id = jobIdOf(askedRunId(name, atMs));
  return makeRun(found, { atMs, id, previous: null, isAsked: true }, nowMs, deps);
}
