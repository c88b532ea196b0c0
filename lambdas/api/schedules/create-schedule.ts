import { ProblemError } from '../../../core/contract/problem.ts';
import {
  type ScheduleBody,
  scheduleBodySchema,
} from '../../../core/contract/schedules/schedule-body.ts';
import { nameOfCaller } from '../../../core/model/caller.ts';
import { schedulesMax } from '../../../core/schedules/limits.ts';
import { nextTime, type Schedule } from '../../../core/schedules/schedule.ts';
import { auditEvent } from '../http/audit.ts';
import { checkQuery } from '../http/call.ts';
import { tagged } from '../http/etag.ts';
import { onceByKey } from '../http/idempotency.ts';
import { readBody } from '../http/json-body.ts';
import { checkInputs } from '../jobs/change/check-inputs.ts';
import { withEndReceiver } from '../jobs/change/end-receiver.ts';
import { placedBody } from '../jobs/change/placed-body.ts';
import { type Context, defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { countedBody } from '../sweeps/counted-body.ts';
import { newScheduleView } from './schedule-view.ts';

/**
 * `POST /v1/schedules`: the job is checked as if it were handed in now, and kept as it is; the
 * minute tick makes it when its time has come.
 */
type Needed = Pick<Ports, 'schedules' | 'files' | 'random' | 'allowsLoopback' | 'idempotency'>;

export const createSchedule = onceByKey(
  defineOperation({
    name: 'createSchedule',
    read: (call): ScheduleBody => {
      checkQuery(call, []);
      return readBody(call, scheduleBodySchema);
    },
    run: async (body, context, deps: Needed) => {
      const { caller, nowMs } = context;
      const placed = withEndReceiver(placedBody(caller, body.job), deps);
      await checkInputs(placed, deps.files, nowMs);
      const job = await countedBody(placed, deps.files, nowMs);
      if ((await deps.schedules.list()).length >= schedulesMax) {
        const detail = `There are ${schedulesMax} schedules, which is the most.`;
        throw new ProblemError('limit-reached', detail);
      }
      const schedule = scheduleOf(body, job, context);
      const trace = auditEvent(context, 'schedule-created', schedule.name);
      if (!(await deps.schedules.create(schedule, trace)))
        throw new ProblemError('schedule-exists');
      return newScheduleView(schedule, nowMs);
    },
    answer: (schedule) => tagged(201, schedule),
  }),
);

function scheduleOf(
  { startAt, endAt, job: _, ...body }: ScheduleBody,
  job: ScheduleBody['job'],
  { caller, nowMs }: Context,
): Schedule {
  const schedule = {
    ...body,
    pool: job.pool,
    queue: job.queue,
    job,
    startAtMs: startAt === null ? null : Date.parse(startAt),
    endAtMs: endAt === null ? null : Date.parse(endAt),
    createdAtMs: nowMs,
    createdBy: nameOfCaller(caller),
    version: 1,
    turn: 1,
    lastRun: null,
    lastJob: null,
  };
  return { ...schedule, nextAtMs: nextTime(schedule, nowMs) };
}
