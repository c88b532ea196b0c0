import type { Context } from 'aws-lambda';
import { expect, test } from 'vitest';
import { batchAnswer, eventHandler, parseBody } from '../../lambdas/event-handler.ts';
import { createQuietLog } from './quiet-log.ts';

const context = { awsRequestId: 'request-1' } as Context;

test('every line carries the id of the request', async () => {
  const log = createQuietLog();
  const handler = eventHandler(log, async (event: number) => {
    log.info('seen', { event });
    log.metric('Seen', event);
    return event + 1;
  });
  expect(await handler(1, context)).toBe(2);
  expect(log.lines).toEqual([
    { level: 'info', message: 'seen', requestId: 'request-1', event: 1 },
    expect.objectContaining({ Seen: 1, requestId: 'request-1' }),
  ]);
});

test('a metric is in the form that CloudWatch reads', () => {
  const log = createQuietLog();
  log.metric('MassLoss', 3, { cell: 'default.0' });
  expect(log.lines[0]).toEqual({
    _aws: {
      Timestamp: 0,
      CloudWatchMetrics: [
        { Namespace: 'Edgewise', Dimensions: [[]], Metrics: [{ Name: 'MassLoss' }] },
      ],
    },
    MassLoss: 3,
    cell: 'default.0',
  });
});

test('a failure is logged with its cause and handed on', async () => {
  const log = createQuietLog();
  const cause = new Error('the table is away');
  const handler = eventHandler(log, async () => {
    throw new Error('no pass', { cause });
  });
  await expect(handler(null, context)).rejects.toThrow('no pass');
  expect(log.lines).toEqual([
    expect.objectContaining({
      level: 'error',
      error: expect.objectContaining({ message: 'no pass', cause: 'the table is away' }),
    }),
  ]);
});

test('an answer names the records that come back', () => {
  expect(batchAnswer(['a', 'b'])).toEqual({
    batchItemFailures: [{ itemIdentifier: 'a' }, { itemIdentifier: 'b' }],
  });
});

test('a body that is no JSON is nothing', () => {
  expect(parseBody('{"a":1}')).toEqual({ a: 1 });
  expect(parseBody('{')).toBeNull();
});
