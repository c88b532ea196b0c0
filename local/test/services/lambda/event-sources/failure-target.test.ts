/** What arrives where a batch goes that could not be handled, in the words of AWS. */
import { expect, test } from 'vitest';
import {
  type FailedBatch,
  failureTarget,
} from '../../../../services/lambda/event-sources/failure-target.ts';
import type { QueuesAndBuckets } from '../../../../services/queues-and-buckets.ts';

const batch: FailedBatch = {
  mappingId: '0d1f',
  functionArn: 'arn:aws:lambda:eu-west-1:000000000000:function:f',
  streamArn: 'arn:aws:dynamodb:eu-west-1:000000000000:table/t/stream/s',
  shardId: 'shardId-1',
  condition: 'RetryAttemptsExhausted',
  attempts: 3,
  firstSequence: '800',
  lastSequence: '801',
  firstArrivalAtMs: Date.UTC(2026, 10, 14, 0, 13, 19, 5),
  lastArrivalAtMs: Date.UTC(2026, 10, 14, 0, 13, 20, 999),
  batchSize: 2,
  event: '{"Records":[]}',
};

const description = {
  requestContext: {
    requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    functionArn: batch.functionArn,
    condition: 'RetryAttemptsExhausted',
    approximateInvokeCount: 3,
  },
  responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' },
  version: '1.0',
  timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  DDBStreamBatchInfo: {
    shardId: 'shardId-1',
    startSequenceNumber: '800',
    endSequenceNumber: '801',
    approximateArrivalOfFirstRecord: '2026-11-14T00:13:19Z',
    approximateArrivalOfLastRecord: '2026-11-14T00:13:20Z',
    batchSize: 2,
    streamArn: batch.streamArn,
  },
};

function target(sent: unknown[]): ReturnType<typeof failureTarget> {
  const standIn = {
    sqs: async (_operation: string, input: { MessageBody: string }) => {
      sent.push(JSON.parse(input.MessageBody));
      return {};
    },
    publish: async (arn: string, _subject: undefined, message: string) =>
      void sent.push([arn, JSON.parse(message)]),
    buckets: {
      putObject: (bucket: string, key: string, body: Buffer) =>
        void sent.push([bucket, key, JSON.parse(body.toString())]),
    },
  };
  return failureTarget(standIn as unknown as QueuesAndBuckets);
}

test('a queue gets a description without the records', async () => {
  const sent: unknown[] = [];
  await target(sent).send('arn:aws:sqs:eu-west-1:000000000000:failed', batch);
  expect(sent).toEqual([description]);
});

test('a topic gets the same', async () => {
  const sent: unknown[] = [];
  await target(sent).send('arn:aws:sns:eu-west-1:000000000000:failed', batch);
  expect(sent).toEqual([['arn:aws:sns:eu-west-1:000000000000:failed', description]]);
});

test('a bucket gets the records too, under a key of the mapping and the shard', async () => {
  const sent: unknown[] = [];
  await target(sent).send('arn:aws:s3:::failed', batch);
  const day = new Date().toISOString().slice(0, 10).replaceAll('-', '/');
  const time = String.raw`\d{4}-\d\d-\d\dT\d\d\.\d\d\.\d\d`;
  const key = expect.stringMatching(
    new RegExp(`^aws/lambda/0d1f/shardId-1/${day}/${time}-[0-9a-f-]{36}$`),
  );
  expect(sent).toEqual([['failed', key, { ...description, payload: batch.event }]]);
});

test('a batch that was too old at once was never answered', async () => {
  const sent: Record<string, unknown>[] = [];
  const old: FailedBatch = { ...batch, condition: 'RecordAgeExceeded', attempts: 0 };
  await target(sent).send('arn:aws:sqs:eu-west-1:000000000000:failed', old);
  expect(sent[0]).not.toHaveProperty('responseContext');
});
