/** When schedules fire: by rate, by cron, and after the local cloud was away. */
import { beforeEach, expect, test } from 'vitest';
import type { StateStore } from '../../../engine/state-store.ts';
import type { FunctionDefinition } from '../../../services/lambda/definition.ts';
import type { LambdaService } from '../../../services/lambda/service.ts';
import type { ScheduleDefinition } from '../../../services/scheduler/definition.ts';
import { type SchedulerService, startScheduler } from '../../../services/scheduler/scheduler.ts';
import { type ManualClock, manualClock } from '../../manual-clock.ts';

const minuteMs = 60_000;
const startMs = Date.UTC(2026, 10, 18, 11, 58, 30);

let clock: ManualClock;
let facts: Map<string, string>;
let fired: { time: string }[];

beforeEach(() => {
  clock = manualClock(startMs);
  facts = new Map();
  fired = [];
});

function start(expression: string, more: Partial<ScheduleDefinition> = {}): SchedulerService {
  const schedule: ScheduleDefinition = {
    name: 'nightly',
    arn: 'arn:schedule',
    expression,
    timezone: 'UTC',
    enabled: true,
    targetArn: 'arn:function',
    roleArn: 'arn:role',
    input: undefined,
    ...more,
  };
  const lambda = {
    find: () => ({ name: 'f' }) as FunctionDefinition,
    invokeLater: async (_definition: unknown, payload: Buffer) =>
      void fired.push(JSON.parse(payload.toString())),
  } as unknown as LambdaService;
  const store = {
    get: (kind: string, key: string) => facts.get(`${kind}/${key}`),
    put: (kind: string, key: string, value: string) => void facts.set(`${kind}/${key}`, value),
  } as StateStore;
  return startScheduler([schedule], lambda, store, clock, () => undefined);
}

const times = (): string[] => fired.map(({ time }) => time.slice(11, 19));

test('a rate is counted from the first start', () => {
  start('rate(2 minutes)');
  clock.pass(2 * minuteMs - 1);
  expect(fired).toEqual([]);
  clock.pass(4 * minuteMs + 1);
  expect(times()).toEqual(['12:00:30', '12:02:30', '12:04:30']);
});

test('a rate of many days does not fire before its time', () => {
  start('rate(30 days)');
  clock.pass(30 * 24 * 60 * minuteMs - 1);
  expect(fired).toEqual([]);
  clock.pass(1);
  expect(fired).toHaveLength(1);
});

test('what came due while nothing ran fires once at the start', () => {
  start('rate(2 minutes)').close();
  clock.pass(61 * minuteMs);
  expect(fired).toEqual([]);
  start('rate(2 minutes)');
  clock.pass(0);
  expect(times()).toEqual(['12:59:30']);
});

test('a cron expression is looked at each minute, in its time zone', () => {
  start('cron(0 13 * * ? *)', { timezone: 'Europe/Berlin' });
  clock.pass(24 * 60 * minuteMs);
  expect(times()).toEqual(['12:00:00']);
});

test('one that is disabled, and one that was stopped, stay silent', () => {
  start('rate(1 minute)', { enabled: false });
  start('cron(* * * * ? *)').close();
  clock.pass(10 * minuteMs);
  expect(fired).toEqual([]);
});
