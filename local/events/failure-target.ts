/**
 * Where a batch goes that a function could not handle
 * (https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-errors.html): a queue gets a
 * description of the batch without its records, a bucket gets the description with them.
 */
import { randomUUID } from 'node:crypto';
import { accountId } from '../account.ts';
import type { QueuesAndBuckets } from '../queues/fauxqs.ts';

export type FailureCondition = 'RetryAttemptsExhausted' | 'RecordAgeExceeded';

export interface FailedBatch {
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
}

export interface FailureTarget {
  send(targetArn: string, batch: FailedBatch): Promise<void>;
}

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
      const body = Buffer.from(JSON.stringify({ ...description, payload: batch.event }));
      queues.buckets.putObject(name, objectKey(batch), body, 'application/json');
    },
  };
}

function describe(batch: FailedBatch): Record<string, unknown> {
  return {
    requestContext: {
      requestId: randomUUID(),
      functionArn: `${batch.functionArn}:$LATEST`,
      condition: batch.condition,
      approximateInvokeCount: batch.attempts,
    },
    responseContext: {
      statusCode: 200,
      executedVersion: '$LATEST',
      functionError: 'Unhandled',
    },
    version: '1.0',
    timestamp: new Date().toISOString(),
    DDBStreamBatchInfo: {
      shardId: batch.shardId,
      startSequenceNumber: batch.firstSequence,
      endSequenceNumber: batch.lastSequence,
      approximateArrivalOfFirstRecord: new Date(batch.firstArrivalAtMs).toISOString(),
      approximateArrivalOfLastRecord: new Date(batch.lastArrivalAtMs).toISOString(),
      batchSize: batch.batchSize,
      streamArn: batch.streamArn,
    },
  };
}

/** `aws/lambda/<mapping>/<shard>/YYYY/MM/DD/YYYY-MM-DDTHH.MM.SS-<uuid>`. */
function objectKey(batch: FailedBatch): string {
  const time = new Date().toISOString();
  const day = time.slice(0, 10).replaceAll('-', '/');
  const second = time.slice(0, 19).replaceAll(':', '.');
  return `aws/lambda/${batch.mappingId}/${batch.shardId}/${day}/${second}-${randomUUID()}`;
}
