/** What an alarm sees of the stand-ins' counters, minute by minute, and when it changes. */
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { HttpApis } from '../../../services/apigateway/apis.ts';
import type { AlarmDefinition } from '../../../services/cloudwatch/alarm-definition.ts';
import { startAlarms } from '../../../services/cloudwatch/alarm-evaluation.ts';
import type { EventSources } from '../../../services/lambda/event-sources/sources.ts';
import type { LambdaService } from '../../../services/lambda/service.ts';
import type { World } from '../../../world.ts';
import { type ManualClock, manualClock } from '../../manual-clock.ts';
import { temporaryDir } from '../../temporary-dir.ts';

const minuteMs = 60_000;
const startMs = Date.UTC(2026, 10, 18, 12);

let clock: ManualClock;
let stateDir: string;
let errors: number;
let oldestSentAtMs: number | undefined;
let world: World;

beforeEach(() => {
  clock = manualClock(startMs);
  stateDir = temporaryDir();
  mkdirSync(join(stateDir, 'logs'));
  errors = 0;
  oldestSentAtMs = undefined;
});

afterEach(() => rmSync(stateDir, { recursive: true }));

function watch(more: Partial<AlarmDefinition>): { close(): void } {
  const alarm: AlarmDefinition = {
    name: 'trouble',
    description: null,
    actions: { enabled: true, OK: [], ALARM: [], INSUFFICIENT_DATA: [] },
    namespace: 'AWS/Lambda',
    metric: 'Errors',
    dimensions: { FunctionName: 'f' },
    statistic: 'Sum',
    periodSeconds: 60,
    threshold: 2,
    comparison: 'GreaterThanOrEqualToThreshold',
    evaluationPeriods: 1,
    datapointsToAlarm: 1,
    treatMissingData: 'missing',
    ...more,
  };
  const ready = () => (oldestSentAtMs === undefined ? [] : [{ sentTimestamp: oldestSentAtMs }]);
  world = {
    account: { region: 'eu-west-1', stack: 'Shop' },
    alarms: [alarm],
    ignored: [],
    queues: {
      queues: { getQueueByName: () => ({ inspectMessages: () => ({ ready: ready() }) }) },
    },
  } as unknown as World;
  const lambda = { counters: () => ({ f: { errors } }) } as unknown as LambdaService;
  const apis = { counters: () => ({}) } as HttpApis;
  const sources = { iteratorAgesMs: () => ({}) } as EventSources;
  return startAlarms({ world, lambda, apis, sources, clock, stateDir });
}

function changes(): string[] {
  const text = readFileSync(join(stateDir, 'logs', 'alarms.log'), 'utf8');
  return text.trim().split('\n');
}

test('of what only grows, a minute has what came in it', () => {
  const alarms = watch({});
  errors = 1;
  clock.pass(minuteMs);
  errors = 3;
  clock.pass(minuteMs);
  clock.pass(minuteMs);
  alarms.close();
  errors = 99;
  clock.pass(minuteMs);
  expect(changes()).toEqual([
    '2026-11-18T12:01:00.000Z trouble: INSUFFICIENT_DATA -> OK',
    '2026-11-18T12:02:00.000Z trouble: OK -> ALARM',
    '2026-11-18T12:03:00.000Z trouble: ALARM -> OK',
  ]);
});

test('the age of a queue grows with the clock', () => {
  const alarms = watch({
    namespace: 'AWS/SQS',
    metric: 'ApproximateAgeOfOldestMessage',
    dimensions: { QueueName: 'q' },
    statistic: 'Maximum',
    threshold: 120,
  });
  oldestSentAtMs = startMs + 1;
  clock.pass(2 * minuteMs);
  oldestSentAtMs = startMs;
  clock.pass(minuteMs);
  alarms.close();
  expect(changes()).toEqual([
    '2026-11-18T12:01:00.000Z trouble: INSUFFICIENT_DATA -> OK',
    '2026-11-18T12:03:00.000Z trouble: OK -> ALARM',
  ]);
});

test.each<[string, Partial<AlarmDefinition>]>([
  ['a metric that nothing counts', { namespace: 'Shop', metric: 'Orders' }],
  ['more minutes than are kept', { periodSeconds: 3_600, evaluationPeriods: 3 }],
])('%s is listed as not run', (_what, more) => {
  watch(more).close();
  expect(world.ignored).toMatchObject([{ path: 'alarm trouble' }]);
});
