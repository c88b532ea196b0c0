/**
 * EventBridge Scheduler: fires schedules and remembers when it last did. A rate that came due while
 * the local cloud was down fires once at the start.
 */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../engine/clock.ts';
import type { StateStore } from '../../engine/state-store.ts';
import type { LambdaService } from '../lambda/service.ts';
import type { ScheduleDefinition } from './definition.ts';
import { cronMatches, parseSchedule } from './expression.ts';

export type SchedulerService = {
  close(): void;
};

const minuteMs = 60_000;

export function startScheduler(
  schedules: readonly ScheduleDefinition[],
  lambda: LambdaService,
  store: StateStore,
  clock: Clock,
  log: (line: string) => void,
): SchedulerService {
  const timers = new Map<string, () => void>();
  let isClosed = false;
  const fire = (schedule: ScheduleDefinition): void => {
    store.put('schedule', schedule.name, String(clock.nowMs()));
    const definition = lambda.find(schedule.targetArn);
    if (definition === undefined) {
      log(`schedule ${schedule.name}: no function`);
      return;
    }
    const input = schedule.input ?? defaultInput(schedule, clock.nowMs());
    void lambda.invokeLater(definition, Buffer.from(input));
  };
  const arm = (schedule: ScheduleDefinition): void => {
    if (isClosed) return;
    const plan = parseSchedule(schedule.expression, schedule.name);
    const nowMs = clock.nowMs();
    if (plan.kind === 'rate') {
      const lastAtMs = Number(store.get('schedule', schedule.name) ?? nowMs);
      if (store.get('schedule', schedule.name) === undefined) {
        store.put('schedule', schedule.name, String(nowMs));
      }
      const dueMs = Math.max(0, lastAtMs + plan.everyMs - nowMs);
      timers.set(
        schedule.name,
        clock.after(dueMs, () => {
          fire(schedule);
          arm(schedule);
        }),
      );
      return;
    }
    // A cron schedule is looked at when each minute begins.
    timers.set(
      schedule.name,
      clock.after(minuteMs - (nowMs % minuteMs) + 5, () => {
        if (cronMatches(plan.fields, new Date(clock.nowMs()), schedule.timezone)) fire(schedule);
        arm(schedule);
      }),
    );
  };
  for (const schedule of schedules) if (schedule.enabled) arm(schedule);
  return {
    close: () => {
      isClosed = true;
      for (const cancel of timers.values()) cancel();
    },
  };
}

function defaultInput(schedule: ScheduleDefinition, nowMs: number): string {
  return JSON.stringify({
    version: '0',
    id: randomUUID(),
    'detail-type': 'Scheduled Event',
    source: 'aws.scheduler',
    time: new Date(nowMs).toISOString(),
    resources: [schedule.arn],
    detail: '{}',
  });
}
