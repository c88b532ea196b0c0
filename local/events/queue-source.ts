/**
 * Reads a queue for one event source mapping: long polls, collects a batch, invokes, and deletes what was
 * handled. What failed becomes visible again after the queue's visibility timeout; the queue's redrive
 * policy then decides (https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html).
 */
import { accountId } from '../account.ts';
import type { FunctionDefinition } from '../lambda/definition.ts';
import type { LambdaService } from '../lambda/service.ts';
import {
  batchPayloadBytesMax,
  queueReceiveMax,
  queueWaitSeconds,
  retryDelayMsMax,
  retryDelayMsMin,
} from '../limits.ts';
import type { QueuesAndBuckets } from '../queues/fauxqs.ts';
import type { Json } from '../template/assembly.ts';
import { itemFailures } from './batch-delivery.ts';
import type { QueueMapping } from './queue-mapping.ts';

export interface QueueSource {
  close(): Promise<void>;
}

export interface QueueSourceOptions {
  mapping: QueueMapping;
  definition: FunctionDefinition;
  queues: QueuesAndBuckets;
  lambda: LambdaService;
  region: string;
  log(line: string): void;
}

interface Message {
  readonly MessageId: string;
  readonly ReceiptHandle: string;
  readonly Body: string;
  readonly MD5OfBody: string;
  readonly Attributes?: Record<string, string>;
  readonly MessageAttributes?: Record<string, Record<string, Json>>;
}

export function startQueueSource(options: QueueSourceOptions): QueueSource {
  const { mapping } = options;
  const url = `http://127.0.0.1/${accountId}/${mapping.queueName}`;
  const running = new Set<Promise<void>>();
  let stopped = false;
  let throttleMs = 0;

  const receive = async (countMax: number, waitSeconds: number): Promise<Message[]> => {
    const answer = await options.queues.sqs('ReceiveMessage', {
      QueueUrl: url,
      MaxNumberOfMessages: Math.min(countMax, queueReceiveMax),
      WaitTimeSeconds: waitSeconds,
      MessageSystemAttributeNames: ['All'],
      MessageAttributeNames: ['All'],
    });
    return (answer.Messages as Message[] | undefined) ?? [];
  };
  const collect = async (): Promise<Message[]> => {
    const batch = await receive(mapping.batchSize, queueWaitSeconds);
    if (batch.length === 0 || mapping.batchSize <= batch.length) return batch;
    const deadlineMs = performance.now() + mapping.batchWindowMs;
    while (batch.length < mapping.batchSize && bytesOf(batch) < batchPayloadBytesMax) {
      const leftMs = deadlineMs - performance.now();
      const more = await receive(mapping.batchSize - batch.length, leftMs > 1_000 ? 1 : 0);
      batch.push(...more);
      if (more.length === 0 && leftMs <= 0) break;
      if (more.length === 0) await pause(Math.min(50, Math.max(1, leftMs)));
      if (stopped) break;
    }
    return batch;
  };
  const remove = async (messages: readonly Message[]): Promise<void> => {
    for (let i = 0; i < messages.length; i += queueReceiveMax) {
      const Entries = messages
        .slice(i, i + queueReceiveMax)
        .map(({ ReceiptHandle }, at) => ({ Id: String(at), ReceiptHandle }));
      await options.queues.sqs('DeleteMessageBatch', { QueueUrl: url, Entries });
    }
  };
  const handle = async (batch: Message[]): Promise<void> => {
    const passing = batch.filter((message) => passes(message, mapping));
    // As on AWS, what the filter holds back is deleted from the queue.
    await remove(batch.filter((message) => !passing.includes(message)));
    if (passing.length === 0) return;
    const event = { Records: passing.map((message) => eventRecord(message, options)) };
    const payload = Buffer.from(JSON.stringify(event));
    const outcome = await options.lambda.invoke(options.definition, payload);
    if (outcome.kind === 'throttled') throttleMs = nextDelayMs(throttleMs);
    else throttleMs = 0;
    if (outcome.kind !== 'ok') return;
    const failed = mapping.reportsItemFailures ? itemFailures(outcome.payload) : [];
    if (failed === 'malformed') return;
    const ids = new Set(failed);
    if (failed.some((id) => !passing.some((message) => message.MessageId === id))) return;
    await remove(passing.filter((message) => !ids.has(message.MessageId)));
  };
  const loop = async (): Promise<void> => {
    while (!stopped) {
      if (running.size >= mapping.concurrencyMax) await Promise.race(running);
      try {
        const batch = await collect();
        if (batch.length === 0) continue;
        const work = handle(batch)
          .catch((error: unknown) => options.log(`queue ${mapping.queueName}: ${String(error)}`))
          .finally(() => running.delete(work));
        running.add(work);
        if (throttleMs > 0) await pause(throttleMs);
      } catch (error) {
        if (stopped) return;
        options.log(`queue ${mapping.queueName}: ${String(error)}`);
        await pause(retryDelayMsMax);
      }
    }
  };
  // Whoever had received these messages ended with the last local cloud: they need not wait any longer.
  const queue = options.queues.queues.getQueueByArn(mapping.queueArn);
  for (const handle of [...(queue?.inflightMessages.keys() ?? [])])
    queue?.changeVisibility(handle, 0);
  const looping = loop();
  return {
    close: async () => {
      stopped = true;
      // Again and again: a long poll may be on its way to the queue when the first call comes.
      const cancel = (): void =>
        options.queues.queues.getQueueByArn(mapping.queueArn)?.cancelWaiters();
      cancel();
      const nudge = setInterval(cancel, 10);
      await looping;
      clearInterval(nudge);
      await Promise.all(running);
    },
  };
}

function passes(message: Message, mapping: QueueMapping): boolean {
  if (mapping.filters.length === 0) return true;
  const record = { body: parsedBody(message.Body), messageId: message.MessageId };
  return mapping.filters.some((filter) => filter(record));
}

/** A body that is JSON is filtered as such, any other as a text. */
function parsedBody(body: string): Json {
  try {
    return JSON.parse(body) as Json;
  } catch {
    return body;
  }
}

function eventRecord(message: Message, options: QueueSourceOptions): Record<string, unknown> {
  const attributes = Object.entries(message.MessageAttributes ?? {}).map(([name, value]) => [
    name,
    {
      stringValue: value.StringValue,
      binaryValue: value.BinaryValue,
      stringListValues: [],
      binaryListValues: [],
      dataType: value.DataType,
    },
  ]);
  return {
    messageId: message.MessageId,
    receiptHandle: message.ReceiptHandle,
    body: message.Body,
    attributes: message.Attributes ?? {},
    messageAttributes: Object.fromEntries(attributes),
    md5OfBody: message.MD5OfBody,
    eventSource: 'aws:sqs',
    eventSourceARN: options.mapping.queueArn,
    awsRegion: options.region,
  };
}

function bytesOf(batch: readonly Message[]): number {
  return batch.reduce((sum, message) => sum + message.Body.length, 0);
}

function nextDelayMs(delayMs: number): number {
  return Math.min(Math.max(delayMs * 2, retryDelayMsMin), retryDelayMsMax);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
