/** What an alarm does when its state changes. */
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type AlarmActions, alarmActions } from '../../../services/cloudwatch/alarm-actions.ts';
import type { AlarmDefinition } from '../../../services/cloudwatch/alarm-definition.ts';
import type { FunctionDefinition } from '../../../services/lambda/definition.ts';
import type { LambdaService } from '../../../services/lambda/service.ts';
import {
  openQueuesAndBuckets,
  type QueuesAndBuckets,
} from '../../../services/queues-and-buckets.ts';
import { manualClock } from '../../manual-clock.ts';
import { temporaryDir } from '../../temporary-dir.ts';

const arn = (service: string, name: string): string =>
  `arn:aws:${service}:eu-west-1:000000000000:${name}`;
const topic = arn('sns', 'trouble');
const queueArn = arn('sqs', 'inbox');
const QueueUrl = 'http://127.0.0.1/000000000000/inbox';
const stateDir = temporaryDir();
const changedAtMs = Date.UTC(2026, 10, 18, 12);

let queues: QueuesAndBuckets;
let lines: string[];
let invoked: unknown[];
let actions: AlarmActions;

beforeAll(async () => {
  queues = await openQueuesAndBuckets(stateDir, 'eu-west-1');
  queues.queues.createQueue('inbox', QueueUrl, queueArn, {});
  queues.topics.createTopic('trouble', undefined, undefined, 'eu-west-1');
  queues.topics.subscribe(topic, 'sqs', queueArn, { RawMessageDelivery: 'true' });
});

afterAll(async () => {
  await queues.close();
  rmSync(stateDir, { recursive: true });
});

beforeEach(() => {
  lines = [];
  invoked = [];
  const lambda = {
    find: (name: string) =>
      name.endsWith(':mend') ? ({ name: 'mend' } as FunctionDefinition) : undefined,
    invokeLater: async (_definition: unknown, payload: Buffer) =>
      void invoked.push(JSON.parse(payload.toString())),
  } as LambdaService;
  const account = { region: 'eu-west-1', stack: 'Notes' };
  const write = (line: string) => void lines.push(line);
  actions = alarmActions({ account, queues, lambda, clock: manualClock(changedAtMs), write });
});

function alarm(targets: string[], enabled = true): AlarmDefinition {
  return {
    name: 'errors',
    description: 'too many',
    actions: { enabled, OK: [], ALARM: targets, INSUFFICIENT_DATA: [] },
    namespace: 'AWS/Lambda',
    metric: 'Errors',
    dimensions: { FunctionName: 'f' },
    statistic: 'Sum',
    periodSeconds: 60,
    threshold: 1,
    comparison: 'GreaterThanOrEqualToThreshold',
    evaluationPeriods: 1,
    datapointsToAlarm: 1,
    treatMissingData: 'missing',
  };
}

async function inbox(): Promise<Record<string, unknown>[]> {
  const answer = await queues.sqs('ReceiveMessage', { QueueUrl, MaxNumberOfMessages: 10 });
  const messages = (answer['Messages'] ?? []) as { Body: string }[];
  return messages.map(({ Body }) => JSON.parse(Body));
}

test('a topic gets the notification of CloudWatch', async () => {
  await actions.changed(alarm([topic]), 'OK', 'ALARM');
  expect(await inbox()).toMatchObject([
    {
      AlarmName: 'errors',
      AlarmDescription: 'too many',
      AWSAccountId: '000000000000',
      NewStateValue: 'ALARM',
      OldStateValue: 'OK',
      StateChangeTime: '2026-11-18T12:00:00.000+0000',
      AlarmArn: arn('cloudwatch', 'alarm:errors'),
      AlarmActions: [topic],
      Trigger: {
        MetricName: 'Errors',
        Statistic: 'SUM',
        Dimensions: [{ name: 'FunctionName', value: 'f' }],
        Threshold: 1,
      },
    },
  ]);
  expect(lines[0]).toMatch(/^\S+Z errors: OK -> ALARM$/);
});

test('a function gets the event of CloudWatch', async () => {
  await actions.changed(alarm([arn('lambda', 'function:mend')]), 'OK', 'ALARM');
  expect(invoked).toMatchObject([
    {
      source: 'aws.cloudwatch',
      alarmData: { state: { value: 'ALARM' }, previousState: { value: 'OK' } },
    },
  ]);
});

test('other changes and disabled actions do nothing but the line', async () => {
  await actions.changed(alarm([topic]), 'ALARM', 'OK');
  await actions.changed(alarm([topic], false), 'OK', 'ALARM');
  expect(await inbox()).toEqual([]);
  expect(lines).toHaveLength(2);
});

test('what cannot be run is said', async () => {
  const targets = [arn('sns', 'elsewhere'), arn('swf', 'action/actions/AWS_EC2.Stop')];
  await actions.changed(alarm(targets), 'OK', 'ALARM');
  expect(lines.slice(1)).toEqual([
    `  no topic ${targets[0]} here: not notified`,
    '  the local cloud does not run the action swf:action/actions/AWS_EC2.Stop',
  ]);
});
