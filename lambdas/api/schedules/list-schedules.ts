import { ProblemError } from '../../../core/contract/problem.ts';
import { seesPool } from '../../../core/model/caller.ts';
import { isName, namePattern } from '../../../core/model/names.ts';
import { badQuery, checkQuery } from '../http/call.ts';
import { readPaging } from '../http/cursor.ts';
import { pageAnswer, pageOf } from '../http/page.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { isVisible, scheduleView } from './schedule-view.ts';

/** `GET /v1/schedules`: by name; those of a pool, or all that the caller sees. */
export const listSchedules = defineOperation({
  name: 'listSchedules',
  read: (call) => {
    checkQuery(call, ['pool', 'limit', 'cursor']);
    const { pool = null } = call.query;
    if (pool !== null && !isName(pool)) throw badQuery('pool', 'This cannot be a name.');
    return { pool, paging: readPaging(call, { name: 'schedules', position: namePattern }) };
  },
  run: async ({ pool, paging }, { caller, nowMs }, deps: Pick<Ports, 'schedules'>) => {
    if (pool !== null && !seesPool(caller, pool)) throw new ProblemError('forbidden');
    const { position, limit } = paging;
    const seen = (await deps.schedules.list()).filter(
      (it) =>
        isVisible(it, caller) &&
        (pool === null || it.pool === pool) &&
        (position === null || it.name > position),
    );
    const page = seen.slice(0, limit);
    const items = page.map((schedule) => scheduleView(schedule, nowMs).view);
    const next = seen.length > limit ? page.at(-1)!.name : null;
    return pageOf(paging, items, ({ name }) => name, next);
  },
  answer: pageAnswer,
});
