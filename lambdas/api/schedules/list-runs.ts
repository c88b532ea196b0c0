import { checkQuery } from '../http/call.ts';
import { readPaging } from '../http/cursor.ts';
import { pageAnswer } from '../http/page.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { runView, scheduleOfPath, visibleSchedule } from './schedule-view.ts';

const list = { name: 'runs', position: /^\d{14}$/ };

/** `GET /v1/schedules/{name}/runs`: what became of its times, newest first. */
export const listScheduleRuns = defineOperation({
  name: 'listScheduleRuns',
  read: (call) => {
    checkQuery(call, ['limit', 'cursor']);
    return { name: scheduleOfPath(call), paging: readPaging(call, list) };
  },
  run: async ({ name, paging }, { caller }, deps: Pick<Ports, 'schedules'>) => {
    await visibleSchedule(name, caller, deps);
    const { position, limit } = paging;
    const listed = await deps.schedules.runs(name, position, limit + 1);
    const page = listed.slice(0, limit);
    const last = listed.length > limit ? page.at(-1)!.position : null;
    const items = page.map(({ run }) => runView(run));
    return { items, nextCursor: last === null ? null : paging.cursorOf(last) };
  },
  answer: pageAnswer,
});
