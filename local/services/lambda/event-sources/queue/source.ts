/**
 * Reads a queue for one event source mapping: long polls, collects a batch, invokes, and deletes
 * what was handled. What failed or was throttled becomes visible again after the queue's visibility
 * timeout; the queue's redrive policy then decides
 * (https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html).
 */
import { accountId } from '../../../../account.ts';
import type { Json } from '../../../../assembly/assembly.ts';
import {
  batchPayloadBytesMax,
  queueConcurrencyLookMs,
  queueReceiveMax,
  queueWaitSeconds,
  retryDelayMsMax,
  retryDelayMsMin,
} from '../../../../limits.ts';
import type { QueuesAndBuckets } from '../../../queues-and-buckets.ts';
import type { FunctionDefinition } from '../../definition.ts';
import type { LambdaService } from '../../service.ts';
import { itemFailures } from '../batch-delivery.ts';
import { filteredBody } from './filter.ts';
import type { QueueMapping } from './mapping.ts';
import { type ConcurrencyRamp, concurrencyRamp } from './ramp.ts';

export type QueueSource = {
  close(): Promise<void>;
};

export type QueueSourceOptions = {
  mapping: QueueMapping;
  definition: FunctionDefinition;
  queues: QueuesAndBuckets;
  lambda: LambdaService;
  region: string;
  log(line: string): void;
};

type Message = {
  readonly MessageId: string;
  readonly ReceiptHandle: string;
  readonly Body: string;
  readonly MD5OfBody: string;
  readonly Attributes?: Record<string, string>;
  readonly MessageAttributes?: Record<string, Record<string, Json>>;
};

export function startQueueSource(options: QueueSourceOptions): QueueSource {
  const source = new Source(options);
  source.start();
  return source;
}

class Source implements QueueSource {
  readonly #options: QueueSourceOptions;
  readonly #url: string;
  readonly #ramp: ConcurrencyRamp;
  readonly #running = new Set<Promise<void>>();
  #looping: Promise<void> = Promise.resolve();
  #stopped = false;
  #throttleMs = 0;

  constructor(options: QueueSourceOptions) {
    this.#options = options;
    this.#url = `http://127.0.0.1/${accountId}/${options.mapping.queueName}`;
    this.#ramp = concurrencyRamp(options.mapping.concurrencyMax);
  }

  start(): void {
    // Whoever had received these messages ended with the last local cloud: they wait no longer.
    const queue = this.#queue();
    const handles = [...(queue?.inflightMessages.keys() ?? [])];
    for (const handle of handles) queue?.changeVisibility(handle, 0);
    this.#looping = this.#loop();
  }

  async close(): Promise<void> {
    this.#stopped = true;
    // Again and again: a long poll may be on its way to the queue when the first call comes.
    const cancel = (): void => this.#queue()?.cancelWaiters();
    cancel();
    const nudge = setInterval(cancel, 10);
    await this.#looping;
    clearInterval(nudge);
    await Promise.all(this.#running);
  }

  async #loop(): Promise<void> {
    const { mapping } = this.#options;
    while (!this.#stopped) {
      if (this.#running.size >= this.#ramp.limit) {
        await this.#awaitRoom();
        continue;
      }
      try {
        const batch = await this.#collect();
        if (batch.length > 0) this.#begin(batch);
        else this.#ramp.relax();
        if (this.#throttleMs > 0) await pause(this.#throttleMs);
      } catch (error) {
        if (this.#stopped) return;
        this.#options.log(`queue ${mapping.queueName}: ${String(error)}`);
        await pause(retryDelayMsMax);
      }
    }
  }

  /** Until a batch is finished, or more of them may be in work because the queue is not empty. */
  async #awaitRoom(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const look = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, queueConcurrencyLookMs);
    });
    await Promise.race([...this.#running, look]);
    clearTimeout(timer);
    const queue = this.#queue();
    queue?.processTimers();
    if (Number(queue?.getAttribute('ApproximateNumberOfMessages') ?? 0) > 0) {
      this.#ramp.pressed(performance.now());
    }
  }

  #begin(batch: Message[]): void {
    const { log, mapping } = this.#options;
    const work = this.#handle(batch)
      .catch((error: unknown) => log(`queue ${mapping.queueName}: ${String(error)}`))
      .finally(() => this.#running.delete(work));
    this.#running.add(work);
  }

  /** The first messages as soon as they come; more until the batch or its window is full. */
  async #collect(): Promise<Message[]> {
    const { batchSize, batchWindowMs } = this.#options.mapping;
    const batch = await this.#receive(batchSize, queueWaitSeconds);
    if (batch.length === 0) return batch;
    const deadlineMs = performance.now() + batchWindowMs;
    while (batch.length < batchSize && bytesOf(batch) < batchPayloadBytesMax && !this.#stopped) {
      const leftMs = deadlineMs - performance.now();
      const more = await this.#receive(batchSize - batch.length, leftMs > 1_000 ? 1 : 0);
      batch.push(...more);
      if (more.length === 0 && leftMs <= 0) break;
      if (more.length === 0) await pause(Math.min(50, Math.max(1, leftMs)));
    }
    return batch;
  }

  async #receive(countMax: number, waitSeconds: number): Promise<Message[]> {
    const answer = await this.#options.queues.sqs('ReceiveMessage', {
      QueueUrl: this.#url,
      MaxNumberOfMessages: Math.min(countMax, queueReceiveMax),
      WaitTimeSeconds: waitSeconds,
      MessageSystemAttributeNames: ['All'],
      MessageAttributeNames: ['All'],
    });
    return (answer.Messages as Message[] | undefined) ?? [];
  }

  async #handle(batch: Message[]): Promise<void> {
    const { mapping, lambda, definition } = this.#options;
    const passing = batch.filter((message) => passes(message, this.#options));
    // As on AWS, what the filter holds back is deleted from the queue.
    await this.#remove(batch.filter((message) => !passing.includes(message)));
    if (passing.length === 0) return;
    const event = { Records: passing.map((message) => eventRecord(message, this.#options)) };
    const outcome = await lambda.invoke(definition, Buffer.from(JSON.stringify(event)));
    this.#throttleMs = outcome.kind === 'throttled' ? nextDelayMs(this.#throttleMs) : 0;
    if (outcome.kind !== 'ok') return;
    const failed = mapping.reportsItemFailures ? itemFailures(outcome.payload) : [];
    if (failed === 'malformed') return;
    // An identifier that is not of this batch fails the whole batch, as documented.
    if (failed.some((id) => !passing.some((message) => message.MessageId === id))) return;
    await this.#remove(passing.filter((message) => !failed.includes(message.MessageId)));
  }

  async #remove(messages: readonly Message[]): Promise<void> {
    for (let i = 0; i < messages.length; i += queueReceiveMax) {
      const Entries = messages
        .slice(i, i + queueReceiveMax)
        .map(({ ReceiptHandle }, at) => ({ Id: String(at), ReceiptHandle }));
      await this.#options.queues.sqs('DeleteMessageBatch', { QueueUrl: this.#url, Entries });
    }
  }

  #queue(): ReturnType<QueuesAndBuckets['queues']['getQueueByArn']> {
    return this.#options.queues.queues.getQueueByArn(this.#options.mapping.queueArn);
  }
}

function passes(message: Message, options: QueueSourceOptions): boolean {
  const { filters } = options.mapping;
  if (filters.length === 0) return true;
  const record = { ...eventRecord(message, options), body: filteredBody(message.Body) };
  return filters.some((filter) => filter(record as Json));
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
