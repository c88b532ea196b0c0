import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import {
  GetThingShadowCommand,
  IoTDataPlaneClient,
  UpdateThingShadowCommand,
} from '@aws-sdk/client-iot-data-plane';
import {
  ListQueuesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Job } from '../../core/contract/resources.ts';
import { makeProduct, type Product } from './product.ts';
import { askApi, killHard, until } from './start/stage.ts';

/**
 * The whole local cloud is killed under load, again and again, while agents work and programs
 * write. What was acknowledged once is there in the end: jobs, messages and shadow updates; and
 * every job comes to its end.
 */
const cuts = Number(process.env.POWER_CUTS ?? 20);
const jobsPerRound = 3;
const updatesPerRound = 10;
/** A shadow takes 20 requests a second. */
const pauseMs = 60;

let product: Product;
beforeEach(async () => {
  product = await makeProduct();
});
afterEach(() => product.remove());

test(`${cuts} power cuts in the middle of jobs lose nothing that was acknowledged`, {
  timeout: 600_000,
}, async () => {
  const jobs: string[] = [];
  const messages: string[] = [];
  let update = 0;
  for (let round = 0; round < cuts; round++) {
    await product.startCloud();
    if (round === 0) product.startAgent('edge', '--count', '3', '--power', '1000', '--quiet');
    const { shadows, queues } = clients();
    const QueueUrl = await quietQueue(queues);
    const writing = new AbortController();
    const keep = (write: () => Promise<void>) => untilRefused(write, writing.signal);
    const before = { jobs: jobs.length, messages: messages.length, update };
    const load = Promise.all([
      keep(async () => {
        const body = { chunks: 5, chunkPower: 50, run: { simulate: { seconds: 0.3 } } };
        jobs.push((await product.submit(body)).id);
      }),
      keep(async () => {
        const MessageBody = `message ${round}-${messages.length}`;
        await queues.send(new SendMessageCommand({ QueueUrl, MessageBody }));
        messages.push(MessageBody);
      }),
      keep(async () => {
        const payload = Buffer.from(JSON.stringify({ state: { reported: { n: update + 1 } } }));
        await shadows.send(new UpdateThingShadowCommand({ thingName: 'probe', payload }));
        update++;
      }),
    ]);
    await until('enough is acknowledged', () => {
      const enough = update >= before.update + updatesPerRound;
      return (
        enough && jobs.length >= before.jobs + jobsPerRound && messages.length > before.messages
      );
    });
    killHard(product.place.endpoints()!.pid!);
    writing.abort();
    await load;
    shadows.destroy();
    queues.destroy();
  }
  await product.startCloud();
  const { shadows, queues } = clients();
  const { payload } = await shadows.send(new GetThingShadowCommand({ thingName: 'probe' }));
  const stored = JSON.parse(Buffer.from(payload!).toString());
  expect(stored.state.reported.n).toBeGreaterThanOrEqual(update);
  expect(stored.version).toBeGreaterThanOrEqual(update);
  expect(await neverReceived(queues, messages)).toEqual([]);
  for (const id of jobs) {
    const { status }: Job = await product.done(id, 120_000);
    expect(status).toMatchObject({ percent: 100, chunks: { total: 5, done: 5, dead: 0 } });
    const power = status.executions!.reduce((sum, execution) => sum + execution.power, 0);
    expect(power).toBe(250);
  }
  const dead = await askApi<{ items: Job[] }>(product.place, '/v1/jobs?state=failed');
  expect(dead.items).toEqual([]);
  shadows.destroy();
  queues.destroy();
});

function clients(): { shadows: IoTDataPlaneClient; queues: SQSClient } {
  const { aws, credentials } = JSON.parse(readFileSync(product.place.endpoints()!.path, 'utf8'));
  // What is tried again after an answer was lost would count twice.
  const settings = { endpoint: aws, region: 'us-east-1', credentials, maxAttempts: 1 };
  return { shadows: new IoTDataPlaneClient(settings), queues: new SQSClient(settings) };
}

/** Where undeliverable records go: nobody takes messages out of it. */
async function quietQueue(queues: SQSClient): Promise<string> {
  const { QueueUrls } = await queues.send(new ListQueuesCommand({}));
  return QueueUrls!.find((url) => url.includes('StreamFailures'))!;
}

/** The queue may hold more than these: what was sent in the moment of a cut, and had no answer. */
async function neverReceived(queues: SQSClient, messages: readonly string[]): Promise<string[]> {
  const QueueUrl = await quietQueue(queues);
  const missing = new Set(messages);
  const receiving = until('every acknowledged message is received', async () => {
    const receive = { QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 600 };
    const { Messages } = await queues.send(new ReceiveMessageCommand(receive));
    for (const { Body } of Messages ?? []) missing.delete(Body!);
    return missing.size === 0;
  });
  await receiving.catch(() => undefined);
  return [...missing];
}

/** Writes one after the other until the power goes. */
async function untilRefused(write: () => Promise<void>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await write();
      await delay(pauseMs);
    } catch (error) {
      if (signal.aborted || isPowerCut(error)) return;
      throw error;
    }
  }
}

function isPowerCut(error: unknown): boolean {
  const words = `${String(error)} ${String((error as { cause?: unknown }).cause)}`;
  return /ECONNREFUSED|ECONNRESET|socket hang up|fetch failed|other side closed|EPIPE/.test(words);
}
