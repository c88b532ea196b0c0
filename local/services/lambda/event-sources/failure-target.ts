/**
 * Where a batch goes that a function could not handle
 * (https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-errors.html): a queue or a topic
 * gets a description of the batch without its records, a bucket gets the description with them.
 */
import { randomUUID } from 'node:crypto';
import { accountId } from '../../../account.ts';
import type { QueuesAndBuckets } from '../../queues-and-buckets.ts';

export type FailureCondition = 'RetryAttemptsExhausted' | 'RecordAgeExceeded';

export type FailedBatch = {
  readonly mappingId: string;
  readonly functionArn: string;
  readonly streamArn: string;
  readonly shardId: string;
  readonly condition: FailureCondition;
  readonly attempts: number;
  readonly firstSequence: string;
  readonly lastSequence: string;
  readonly firstArrivalAtMs: number;
  readonly lastArrivalAtMs: number;
  readonly batchSize: number;
  readonly event: string;
};

export type FailureTarget = {
  send(targetArn: string, batch: FailedBatch): Promise<void>;
};

export function failureTarget(queues: QueuesAndBuckets): FailureTarget {
  return {
    send: async (targetArn, batch) => {
      const description = describe(batch);
      const parts = targetArn.split(':');
      const name = parts[5] ?? '';
      if (parts[2] === 'sqs') {
        await queues.sqs('SendMessage', {
          QueueUrl: `http://127.0.0.1/${accountId}/${name}`,
          MessageBody: JSON.stringify(description),
        });
        return;
      }
      if (parts[2] === 'sns') {
        return queues.publish(targetArn, undefined, JSON.stringify(description));
      }
      const body = Buffer.from(JSON.stringify({ ...description, payload: batch.event }));
      queues.buckets.putObject(name, objectKey(batch), body, 'application/json');
    },
  };
}

const responseContext = {
  statusCode: 200,
  executedVersion: '$LATEST',
  functionError: 'Unhandled',
};

function describe(batch: FailedBatch): Record<string, unknown> {
  return {
    requestContext: {
      requestId: randomUUID(),
      functionArn: batch.functionArn,
      condition: batch.condition,
      approximateInvokeCount: batch.attempts,
    },
    // A batch that was never handed over, because it was too old at once, has no response.
    ...(batch.attempts === 0 ? {} : { responseContext }),
    version: '1.0',
    timestamp: new Date().toISOString(),
    DDBStreamBatchInfo: {
      shardId: batch.shardId,
      startSequenceNumber: batch.firstSequence,
      endSequenceNumber: batch.lastSequence,
      approximateArrivalOfFirstRecord: secondOf(batch.firstArrivalAtMs),
      approximateArrivalOfLastRecord: secondOf(batch.lastArrivalAtMs),
      batchSize: batch.batchSize,
      streamArn: batch.streamArn,
    },
  };
}

/** `2019-11-14T00:13:19Z`. */
function secondOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** `aws/lambda/<mapping>/<shard>/YYYY/MM/DD/YYYY-MM-DDTHH.MM.SS-<uuid>`. */
function objectKey(batch: FailedBatch): string {
  const time = new Date().toISOString();
  const day = time.slice(0, 10).replaceAll('-', '/');
  const second = time.slice(0, 19).replaceAll(':', '.');
  return `aws/lambda/${batch.mappingId}/${batch.shardId}/${day}/${second}-${randomUUID()}`;
}
