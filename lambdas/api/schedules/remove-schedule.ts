import { changeAttemptsMax } from '../../../core/model/limits.ts';
import { audit } from '../http/audit.ts';
import { checkQuery } from '../http/call.ts';
import { contended } from '../http/outage.ts';
import { checkVersion, readPrecondition } from '../http/precondition.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { scheduleOfPath, visibleSchedule } from './schedule-view.ts';

/** `DELETE /v1/schedules/{name}`: it makes no more jobs; those that it made stay. */
export const removeSchedule = defineOperation({
  name: 'removeSchedule',
  read: (call) => {
    checkQuery(call, []);
    return { name: scheduleOfPath(call), precondition: readPrecondition(call) };
  },
  run: async (
    { name, precondition },
    context,
    deps: Pick<Ports, 'schedules' | 'audit'>,
  ): Promise<void> => {
    for (let attempt = 1; attempt <= changeAttemptsMax; attempt++) {
      const found = await visibleSchedule(name, context.caller, deps);
      checkVersion(precondition, found.version);
      if (!(await deps.schedules.remove(name, found.turn))) continue;
      return audit(context, deps, 'schedule-removed', name);
    }
    throw contended();
  },
  answer: () => ({ status: 204 }),
});
