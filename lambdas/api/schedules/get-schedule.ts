import { checkQuery } from '../http/call.ts';
import { tagged } from '../http/etag.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { scheduleOfPath, scheduleView, visibleSchedule } from './schedule-view.ts';

/** `GET /v1/schedules/{name}`. */
export const getSchedule = defineOperation({
  name: 'getSchedule',
  read: (call) => {
    checkQuery(call, []);
    return scheduleOfPath(call);
  },
  run: async (name, { caller, nowMs }, deps: Pick<Ports, 'schedules'>) =>
    scheduleView(await visibleSchedule(name, caller, deps), nowMs),
  answer: (schedule) => tagged(200, schedule),
});
