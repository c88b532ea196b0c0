/**
 * Moving messages out of a dead-letter queue
 * (https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_StartMessageMoveTask.html).
 * A task here moves everything that is there at once; what is in flight stays.
 */

import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../assembly/assembly.ts';
import { operationOf } from '../../engine/gateway/named-operation.ts';
import type { QueueStore } from '../queues-and-buckets.ts';
import type { SqsRefusal } from './checks.ts';

export type MessageMoves = {
  /** The answer, a refusal, or undefined for an operation that is not about moves. */
  handle(operation: string, input: JsonObject): JsonObject | SqsRefusal | undefined;
};

type Queue = NonNullable<ReturnType<QueueStore['getQueueByArn']>>;

type Task = JsonObject & {
  SourceArn: string;
  Status: string;
  StartedTimestamp: number;
  ApproximateNumberOfMessagesMoved: number;
};

/** "The response contains up to 10 of the most recent tasks." */
const tasksMax = 10;

export function messageMoves(store: QueueStore): MessageMoves {
  const tasks: Task[] = [];
  const operations: Readonly<Record<string, (input: JsonObject) => JsonObject | SqsRefusal>> = {
    StartMessageMoveTask: (input) => {
      const source = store.getQueueByArn(String(input.SourceArn ?? ''));
      if (source === undefined) return notFound;
      const target = targetOf(store, source, input.DestinationArn);
      if (typeof target === 'string') return { code: 'InvalidParameterValue', message: target };
      tasks.unshift({
        SourceArn: source.arn,
        Status: 'COMPLETED',
        StartedTimestamp: Date.now(),
        ApproximateNumberOfMessagesMoved: moveAll(source, target),
        ...(typeof input.DestinationArn === 'string' ? { DestinationArn: target.arn } : {}),
      });
      tasks.length = Math.min(tasks.length, 100);
      return { TaskHandle: Buffer.from(randomUUID()).toString('base64') };
    },
    ListMessageMoveTasks: (input) => {
      const arn = String(input.SourceArn ?? '');
      if (store.getQueueByArn(arn) === undefined) return notFound;
      const wanted = Math.min(Number(input.MaxResults ?? 1), tasksMax);
      return { Results: tasks.filter((task) => task.SourceArn === arn).slice(0, wanted) };
    },
    CancelMessageMoveTask: () => ({
      code: 'ResourceNotFoundException',
      message: 'Task does not exist.',
    }),
    ListDeadLetterSourceQueues: (input) => {
      const queue = store.getQueue(String(input.QueueUrl ?? ''));
      if (queue === undefined) {
        return { code: 'QueueDoesNotExist', message: 'The specified queue does not exist.' };
      }
      return { queueUrls: sourcesOf(store, queue).map(({ url }) => url) };
    },
  };
  return { handle: (operation, input) => operationOf(operations, operation)?.(input) };
}

const notFound: SqsRefusal = {
  code: 'ResourceNotFoundException',
  message: "The resource that you specified for the SourceArn parameter doesn't exist.",
};

/** Queues whose redrive policy names this one. */
function sourcesOf(store: QueueStore, deadLetters: Queue): Queue[] {
  return [...store.allQueues()].filter((queue) => {
    const policy = queue.attributes.RedrivePolicy;
    if (policy === undefined || policy === '') return false;
    const target = (JSON.parse(policy) as { deadLetterTargetArn?: string }).deadLetterTargetArn;
    return target === deadLetters.arn;
  });
}

/** Where the messages go, or a sentence why nowhere. */
function targetOf(store: QueueStore, source: Queue, destination: unknown): Queue | string {
  if (typeof destination === 'string') {
    return store.getQueueByArn(destination) ?? 'The specified destination queue does not exist.';
  }
  const [first, ...others] = sourcesOf(store, source);
  if (first === undefined) return 'Source queue must be configured as a Dead Letter Queue.';
  if (others.length === 0) return first;
  return 'Several queues send here and the local cloud keeps no origins: name DestinationArn.';
}

/** "Messages are considered as new messages with a new messageID and enqueueTime." */
function moveAll(source: Queue, target: Queue): number {
  source.processTimers();
  let moved = 0;
  const total = source.inspectMessages().ready.length;
  while (moved < total) {
    const batch = source.dequeue(10, 30);
    if (batch.length === 0) break;
    for (const { ReceiptHandle } of batch) {
      const message = source.inflightMessages.get(ReceiptHandle)?.message;
      if (message === undefined) continue;
      const { approximateFirstReceiveTimestamp: _first, delayUntil: _delay, ...rest } = message;
      target.enqueue({
        ...rest,
        messageId: randomUUID(),
        sentTimestamp: Date.now(),
        approximateReceiveCount: 0,
      });
      // Afterwards: what is killed in between finds the message twice and not at all lost.
      source.deleteMessage(ReceiptHandle);
      moved += 1;
    }
  }
  return moved;
}
