/**
 * CloudWatch alarms on what the stand-ins can count themselves: functions, queues, APIs and the age
 * of stream iterators. A change of state is a line in `logs/alarms.log` and runs the alarm's
 * actions. Alarms on anything else are listed as not run.
 */
import { join } from 'node:path';
import type { Clock } from '../../engine/clock.ts';
import { appendLine } from '../../engine/log-file.ts';
import type { World } from '../../world.ts';
import type { HttpApis } from '../apigateway/apis.ts';
import type { EventSources } from '../lambda/event-sources/sources.ts';
import type { LambdaService } from '../lambda/service.ts';
import { alarmActions } from './alarm-actions.ts';
import type { AlarmDefinition } from './alarm-definition.ts';
import { type AlarmState, alarmState } from './alarm-state.ts';

export type AlarmsOptions = {
  world: World;
  lambda: LambdaService;
  apis: HttpApis;
  sources: EventSources;
  clock: Clock;
  stateDir: string;
};

const minuteMs = 60_000;
/** Minutes kept of each metric; longer periods than this are listed as not run. */
const minutesMax = 120;

type Sample = (alarm: AlarmDefinition) => number | undefined;

type Watched = {
  readonly alarm: AlarmDefinition;
  /** One value per minute, oldest first. */
  readonly minutes: number[];
  lastTotal: number;
  state: AlarmState;
};

export function startAlarms(options: AlarmsOptions): { close(): void } {
  const { world } = options;
  const sample = samplerOf(options);
  const watched: Watched[] = [];
  for (const alarm of world.alarms) {
    const isLong = alarm.periodSeconds * alarm.evaluationPeriods > minutesMax * 60;
    if (sample(alarm) === undefined || isLong) {
      world.ignored.push({
        path: `alarm ${alarm.name}`,
        reason: `the stand-ins do not count ${alarm.namespace} ${alarm.metric}`,
      });
      continue;
    }
    watched.push({ alarm, minutes: [], lastTotal: 0, state: 'INSUFFICIENT_DATA' });
  }
  const path = join(options.stateDir, 'logs', 'alarms.log');
  const write = (line: string): void => appendLine(path, line);
  const { account, queues } = world;
  const { clock, lambda } = options;
  const actions = alarmActions({ account, queues, lambda, clock, write });
  const cancel = clock.every(minuteMs, () => {
    for (const item of watched) {
      const value = sample(item.alarm) ?? 0;
      item.minutes.push(isTotal(item.alarm) ? value - item.lastTotal : value);
      item.lastTotal = value;
      if (item.minutes.length > minutesMax) item.minutes.shift();
      const state = alarmState(item.alarm, item.minutes);
      if (state === item.state) continue;
      const before = item.state;
      item.state = state;
      void actions.changed(item.alarm, before, state).catch((error: unknown) => {
        write(`  the action failed: ${String(error)}`);
      });
    }
  });
  return { close: cancel };
}

/** Metrics that only grow; their value in a minute is the difference. */
function isTotal(alarm: AlarmDefinition): boolean {
  return alarm.namespace === 'AWS/Lambda'
    ? alarm.metric !== 'IteratorAge'
    : alarm.namespace === 'AWS/ApiGateway';
}

function samplerOf(options: AlarmsOptions): Sample {
  const { lambda, apis, sources, clock, world } = options;
  const ofFunction = (name: string, metric: string): number | undefined => {
    const counters = lambda.counters()[name];
    if (metric === 'IteratorAge') return sources.iteratorAgesMs()[name] ?? 0;
    if (metric === 'Errors') return counters?.errors;
    if (metric === 'Throttles') return counters?.throttles;
    return metric === 'Invocations' ? counters?.invocations : undefined;
  };
  const ofQueue = (name: string, metric: string): number | undefined => {
    const queue = world.queues.queues.getQueueByName(name);
    if (queue === undefined) return undefined;
    if (metric === 'ApproximateNumberOfMessagesVisible') {
      return Number(queue.getAttribute('ApproximateNumberOfMessages'));
    }
    if (metric !== 'ApproximateAgeOfOldestMessage') return undefined;
    const oldest = queue.inspectMessages().ready[0]?.sentTimestamp;
    return oldest === undefined ? 0 : (clock.nowMs() - oldest) / 1000;
  };
  const ofApi = (id: string, metric: string): number | undefined => {
    const counters = apis.counters()[id];
    if (metric === 'Count') return counters?.count;
    if (/^5xx$/i.test(metric)) return counters?.serverErrors;
    return /^4xx$/i.test(metric) ? counters?.clientErrors : undefined;
  };
  return (alarm) => {
    const { dimensions, metric } = alarm;
    switch (alarm.namespace) {
      case 'AWS/Lambda':
        return ofFunction(dimensions.FunctionName ?? '', metric);
      case 'AWS/SQS':
        return ofQueue(dimensions.QueueName ?? '', metric);
      case 'AWS/ApiGateway':
        return ofApi(dimensions.ApiId ?? '', metric);
      default:
        return undefined;
    }
  };
}
