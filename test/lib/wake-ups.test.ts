import { Match } from 'aws-cdk-lib/assertions';
import { afterAll, expect, test } from 'vitest';
import { encodeMap } from '../../adapters/dynamodb/attribute-values.ts';
import * as keys from '../../adapters/dynamodb/keys.ts';
import { encodeJobCell } from '../../adapters/dynamodb/rows/rows-job.ts';
import { passMark, statusNews } from '../../adapters/dynamodb/schema.ts';
import { cellIdOf, edgeNameOf, jobIdOf } from '../../core/model/names.ts';
import { wakeupsOfStream } from '../../lambdas/workers/schedule/schedule-cells.ts';
import { newsFilters, rollupFilter } from '../../lib/scheduling/rollup.ts';
import { scheduleFilter } from '../../lib/scheduling/scheduler.ts';
import { compileFilter } from '../../local/services/lambda/event-sources/filter/pattern.ts';
import { cellStatus } from '../contract/stored-fixture.ts';
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

test.each([
  ['wakes the cell', {}, 1],
  ['was stored with the pass over it, and wakes none', { [passMark]: true }, 0],
])('a row of another that %s', (_, mark, woken) => {
  const image = encodeMap({ ...keys.intentKey(cell, job), priority: 50, ...mark });
  const { pk, sk } = image;
  const change = { Keys: { pk, sk }, NewImage: image, SequenceNumber: '1' };
  const record = JSON.parse(JSON.stringify({ eventName: 'INSERT', dynamodb: change }));
  const passes = compileFilter(JSON.stringify(scheduleFilter), 'the filter of the scheduler');
  expect(passes(record)).toBe(true);
  expect(wakeupsOfStream([record]).size).toBe(woken);
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

test.each([
  ['a cell that is not alone', false, true],
  ['the pass that wrote the status as well', true, false],
])('the counts of %s: folded by the cell %s, the rollup woken %s', (_, foldedByCell, isWoken) => {
  const image = encodeMap(encodeJobCell(cell, cellStatus(job, { foldedByCell })));
  const { pk, sk } = image;
  const change = { Keys: { pk, sk }, NewImage: image };
  const record = JSON.parse(JSON.stringify({ eventName: 'MODIFY', dynamodb: change }));
  const passes = compileFilter(JSON.stringify(rollupFilter), 'the filter of the rollup');
  expect(passes(record)).toBe(isWoken);
});

test.each([
  [statusNews.yes, true],
  [statusNews.no, false],
  [undefined, false],
])('a status whose news is %s tells of a change: %s', (news, isWoken) => {
  const image = encodeMap({ ...keys.statusKey(job), state: 'done', news });
  const { pk, sk } = image;
  const change = { Keys: { pk, sk }, NewImage: image };
  const record = JSON.parse(JSON.stringify({ eventName: 'MODIFY', dynamodb: change }));
  const passes = compileFilter(JSON.stringify(newsFilters[0]), 'the filter of news');
  expect(passes(record)).toBe(isWoken);
});

test('of the work of edges a verdict of loss and its end wake it, and nothing else', () => {
  const passes = newsFilters.map((it) => compileFilter(JSON.stringify(it), 'a filter of news'));
  const wakes = (before: number | null, after: number | null): boolean => {
    const [OldImage, NewImage] = [before, after].map((lostAtMs) =>
      encodeMap({ ...keys.workKey(cell, edge), lostAtMs }),
    );
    const { pk, sk } = NewImage!;
    const change = { Keys: { pk, sk }, OldImage, NewImage };
    const record = JSON.parse(JSON.stringify({ eventName: 'MODIFY', dynamodb: change }));
    return passes.some((filter) => filter(record));
  };
  expect([wakes(null, null), wakes(null, 5), wakes(5, null)]).toEqual([false, true, true]);
  expect(newsFilters.length + 1).toBeLessThanOrEqual(5);
});

test('the filters are in the template', () => {
  for (const filters of [[scheduleFilter], [rollupFilter, ...newsFilters]]) {
    template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      FilterCriteria: { Filters: filters.map((it) => ({ Pattern: JSON.stringify(it) })) },
    });
  }
});

test('time passes once a minute, by one schedule for all cells, for submissions and for events', () => {
  template.resourceCountIs('AWS::Scheduler::Schedule', 3);
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
