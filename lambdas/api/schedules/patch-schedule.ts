import { schedulePatchSchema } from '../../../core/contract/schedules/schedule-body.ts';
import { changeAttemptsMax } from '../../../core/model/limits.ts';
import { nextTime } from '../../../core/schedules/schedule.ts';
import { audit } from '../http/audit.ts';
import { checkQuery } from '../http/call.ts';
import { tagged } from '../http/etag.ts';
import { readBody } from '../http/json-body.ts';
import { contended } from '../http/outage.ts';
import { checkVersion, readPrecondition } from '../http/precondition.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { scheduleOfPath, scheduleView, visibleSchedule } from './schedule-view.ts';

/**
 * `PATCH /v1/schedules/{name}`: pauses it, or lets it go on from now. Times that went by while it
 * was paused are no missed ones.
 */
export const patchSchedule = defineOperation({
  name: 'patchSchedule',
  read: (call) => {
    checkQuery(call, []);
    const { paused } = readBody(call, schedulePatchSchema);
    return { name: scheduleOfPath(call), paused, precondition: readPrecondition(call) };
  },
  run: async ({ name, paused, precondition }, context, deps: PatchDeps) => {
    const { caller, nowMs } = context;
    for (let attempt = 1; attempt <= changeAttemptsMax; attempt++) {
      const found = await visibleSchedule(name, caller, deps);
      checkVersion(precondition, found.version);
      if (found.paused === paused) return scheduleView(found, nowMs);
      const [version, turn] = [found.version + 1, found.turn + 1];
      const next = { ...found, paused, version, turn, nextAtMs: nextTime(found, nowMs) };
      if (!(await deps.schedules.save(next, found.turn, []))) continue;
      await audit(context, deps, paused ? 'schedule-paused' : 'schedule-resumed', name);
      return scheduleView(next, nowMs);
    }
    throw contended();
  },
  answer: (schedule) => tagged(200, schedule),
});

type PatchDeps = Pick<Ports, 'schedules' | 'audit'>;
