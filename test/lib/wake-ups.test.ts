import { Match } from 'aws-cdk-lib/assertions';
import { afterAll, expect, test } from 'vitest';
import * as keys from '../../adapters/dynamodb/keys.ts';
import { cellIdOf, edgeNameOf, jobIdOf } from '../../core/model/names.ts';
import { rollupFilter } from '../../lib/scheduling/rollup.ts';
import { scheduleFilter } from '../../lib/scheduling/scheduler.ts';
import { removeOutputs, resourcesOf, synthesized } from './synthesized.ts';

/** What wakes which function, and what happens to what cannot be handled. */
afterAll(removeOutputs);
const { template } = synthesized();
const mappings = [...resourcesOf(template, 'AWS::Lambda::EventSourceMapping').values()].map(
  (it) => it.Properties,
);

test('the stream has two readers, and each fails in parts, in halves, and to an end', () => {
  const readers = mappings.filter((it) => it.StartingPosition !== undefined);
  expect(readers).toHaveLength(2);
  for (const reader of readers) {
    expect(reader).toMatchObject({
      StartingPosition: 'TRIM_HORIZON',
      BisectBatchOnFunctionError: true,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      DestinationConfig: { OnFailure: { Destination: expect.anything() } },
    });
    expect(reader.MaximumRetryAttempts).toBeLessThanOrEqual(10);
    expect(reader.MaximumRecordAgeInSeconds).toBeLessThanOrEqual(21_600);
  }
});

test('queues give back what failed, for longer than their function runs, and not for ever', () => {
  const queues = [...resourcesOf(template, 'AWS::SQS::Queue').values()];
  const working = queues.filter((it) => it.Properties.RedrivePolicy !== undefined);
  const readers = mappings.filter((it) => it.StartingPosition === undefined);
  expect(readers).toHaveLength(working.length);
  for (const reader of readers) {
    expect(reader).toMatchObject({ FunctionResponseTypes: ['ReportBatchItemFailures'] });
  }
  for (const { Properties } of working) {
    expect(Properties.VisibilityTimeout).toBeGreaterThanOrEqual(60);
    expect(Properties.RedrivePolicy).toMatchObject({ maxReceiveCount: expect.any(Number) });
  }
  template.resourceCountIs('AWS::SQS::QueuePolicy', queues.length);
});

const cell = cellIdOf('default.0');
const edge = edgeNameOf('edge');
const job = jobIdOf('job');
const wakesScheduler: readonly keys.Key[] = [
  keys.factsKey(cell, edge),
  keys.reportKey(cell, edge),
  keys.edgeKey(cell, edge),
  keys.intentKey(cell, job),
  keys.cellQueueKey(cell, 'fast'),
  keys.tickKey(cell),
];
const writtenByPasses: readonly keys.Key[] = [
  keys.metaKey(cell),
  keys.workKey(cell, edge),
  keys.sliceKey(cell, job),
  keys.executionKey(job, edge),
  keys.chunkKey(job, 1),
];

test('the scheduler is woken by what others write to a cell, and never by itself', () => {
  for (const key of wakesScheduler) expect(matches(scheduleFilter, key), key.sk).toBe(true);
  for (const key of writtenByPasses) expect(matches(scheduleFilter, key), key.sk).toBe(false);
});

test('the rollup is woken by the counts of cells and by nothing it writes', () => {
  expect(matches(rollupFilter, keys.jobCellKey(job, cell))).toBe(true);
  const others = [
    ...wakesScheduler,
    ...writtenByPasses,
    keys.statusKey(job),
    keys.eventKey(job, 1, 'done'),
    keys.statsKey(0),
    keys.poolCellKey('default', cell),
  ];
  for (const key of others) expect(matches(rollupFilter, key), `${key.pk} ${key.sk}`).toBe(false);
});

test('the filters are in the template', () => {
  for (const filter of [scheduleFilter, rollupFilter]) {
    template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      FilterCriteria: { Filters: [{ Pattern: JSON.stringify(filter) }] },
    });
  }
});

test('time passes once a minute, by one schedule for the fleet', () => {
  template.resourceCountIs('AWS::Scheduler::Schedule', 1);
  template.hasResourceProperties('AWS::Scheduler::Schedule', {
    ScheduleExpression: 'rate(1 minute)',
    FlexibleTimeWindow: { Mode: 'OFF' },
    Target: { RetryPolicy: { MaximumRetryAttempts: Match.anyValue() } },
  });
});

type Pattern = { S: readonly (string | { prefix: string })[] };
type Filter = { dynamodb: { Keys: { pk: Pattern; sk: Pattern } } };

function matches({ dynamodb: { Keys } }: Filter, key: keys.Key): boolean {
  const fits = (pattern: Pattern, text: string) =>
    pattern.S.some((it) => (typeof it === 'string' ? it === text : text.startsWith(it.prefix)));
  return fits(Keys.pk, key.pk) && fits(Keys.sk, key.sk);
}
