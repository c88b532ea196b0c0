/** The maximum concurrency of a queue's reader: reached, and never passed. */
import { GetObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type NotesClients, notesClients } from '../../../../notes-clients.ts';
import { eventually, type NotesCloud, startNotes } from '../../../../notes-cloud.ts';

let cloud: NotesCloud;
let clients: NotesClients;

beforeAll(async () => {
  cloud = await startNotes({
    edit: (resources) => {
      resources['OnMessage']!.Properties['Handler'] = 'on-slow-message.handler';
      const reader = resources['QueueReader']!.Properties;
      reader['BatchSize'] = 1;
      reader['ScalingConfig'] = { MaximumConcurrency: 10 };
    },
  });
  clients = notesClients(cloud);
});

afterAll(async () => {
  clients.close();
  await cloud.stop();
});

test('ten batches are in work at once, no more', async () => {
  // A busy machine starts the ten processes more slowly than the first ones work: then once more.
  let most = 0;
  for (let sent = messages; most < 10 && sent <= roundsMax * messages; sent += messages) {
    most = await mostAtOnce(sent);
    expect(most).toBeLessThanOrEqual(10);
  }
  expect(most).toBe(10);
});

const messages = 60;
const roundsMax = 5;

/** Sends more messages, and looks at all once this many have been handled since the start. */
async function mostAtOnce(total: number): Promise<number> {
  const QueueUrl = cloud.output('QueueUrl');
  for (let at = 0; at < messages; at += 10) {
    const Entries = Array.from({ length: 10 }, (_, i) => ({ Id: `m${i}`, MessageBody: 'x' }));
    await clients.queues.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
  }
  const Bucket = cloud.output('BucketName');
  const keys = await eventually(async () => {
    const list = await clients.buckets.send(new ListObjectsV2Command({ Bucket }));
    const names = (list.Contents ?? []).map((object) => object.Key ?? '');
    return names.length === total ? names : undefined;
  });
  const moments: [atMs: number, change: number][] = [];
  for (const Key of keys) {
    const { Body } = await clients.buckets.send(new GetObjectCommand({ Bucket, Key }));
    const [beganAtMs, endedAtMs] = JSON.parse((await Body?.transformToString()) ?? '');
    moments.push([beganAtMs, 1], [endedAtMs, -1]);
  }
  moments.sort(([a, begins], [b, alsoBegins]) => a - b || begins - alsoBegins);
  let running = 0;
  let most = 0;
  for (const [, change] of moments) {
    running += change;
    most = Math.max(most, running);
  }
  return most;
}
