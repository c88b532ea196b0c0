/** What the queues keep over a restart, and what becomes of messages that are on their way. */
import { rmSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openQueuesAndBuckets, type QueuesAndBuckets } from '../../services/queues-and-buckets.ts';
import { temporaryDir } from '../temporary-dir.ts';

const QueueUrl = 'http://127.0.0.1/000000000000/work';
const arn = 'arn:aws:sqs:eu-west-1:000000000000:work';
let stateDir: string;
let queues: QueuesAndBuckets;

beforeEach(async () => {
  stateDir = temporaryDir();
  queues = await openQueuesAndBuckets(stateDir, 'eu-west-1');
  queues.queues.createQueue('work', QueueUrl, arn, { VisibilityTimeout: '60' });
});

afterEach(async () => {
  await queues.close();
  rmSync(stateDir, { recursive: true });
});

async function restart(): Promise<void> {
  await queues.close();
  queues = await openQueuesAndBuckets(stateDir, 'eu-west-1');
}

async function receive(): Promise<{ ReceiptHandle: string; Attributes: Record<string, string> }[]> {
  const answer = await queues.sqs('ReceiveMessage', {
    QueueUrl,
    MessageSystemAttributeNames: ['All'],
  });
  return (answer.Messages ?? []) as Awaited<ReturnType<typeof receive>>;
}

test('a message that was received and not deleted is still hidden after a restart', async () => {
  await queues.sqs('SendMessage', { QueueUrl, MessageBody: 'x' });
  await receive();
  await restart();
  expect(await receive()).toEqual([]);
});

test('a message that is visible again keeps its receive count, also over a restart', async () => {
  await queues.sqs('SendMessage', { QueueUrl, MessageBody: 'x' });
  const [message] = await receive();
  const { ReceiptHandle } = message!;
  const VisibilityTimeout = 0;
  await queues.sqs('ChangeMessageVisibility', { QueueUrl, ReceiptHandle, VisibilityTimeout });
  await restart();
  const [again] = await receive();
  expect(again?.Attributes.ApproximateReceiveCount).toBe('2');
});
