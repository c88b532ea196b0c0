/**
 * One note's way through everything: API, table, stream, queue, bucket; and what goes wrong on the
 * way.
 */
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type NotesClients, notesClients } from './notes-clients.ts';
import { eventually, type NotesCloud, startNotes } from './notes-cloud.ts';

let cloud: NotesCloud;
let clients: NotesClients;

beforeAll(async () => {
  cloud = await startNotes();
  clients = notesClients(cloud);
});

afterAll(async () => {
  clients.close();
  await cloud.stop();
});

function post(note: Record<string, string>): Promise<Response> {
  return fetch(`${cloud.endpoints.api}/notes`, {
    method: 'POST',
    headers: { authorization: 'friend', 'content-type': 'application/json' },
    body: JSON.stringify(note),
  });
}

async function objectText(key: string): Promise<string | undefined> {
  try {
    const Bucket = cloud.output('BucketName');
    const { Body } = await clients.buckets.send(new GetObjectCommand({ Bucket, Key: key }));
    return await Body?.transformToString();
  } catch {
    return undefined;
  }
}

async function message(queueOutput: string): Promise<string | undefined> {
  const QueueUrl = cloud.output(queueOutput);
  const answer = await clients.queues.send(
    new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 1 }),
  );
  return answer.Messages?.[0]?.Body;
}

describe('a note', () => {
  test('goes from the API over table, stream and queue into the bucket', async () => {
    const response = await post({ id: '1', text: 'first' });
    expect(response.status).toBe(201);
    expect(response.headers.get('x-note')).toBe('1');
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    const stored = JSON.parse(await eventually(() => objectText('notes/NOTE#1')));
    expect(stored).toEqual({
      key: 'NOTE#1',
      text: 'first',
      source: cloud.output('StreamArn'),
    });
    expect(stored.source).toMatch(/^arn:aws:dynamodb:eu-west-1:000000000000:table\/.*\/stream\//);
    const read = await fetch(`${cloud.endpoints.api}/notes/1`, {
      headers: { authorization: 'friend' },
    });
    expect(await read.json()).toEqual({ text: 'first' });
  });

  test('that is written around the API is found as well', async () => {
    const Item = { PK: { S: 'NOTE#direct' }, SK: { S: 'NOTE' }, text: { S: 'direct' } };
    const TableName = cloud.output('TableName');
    await clients.database.send(new PutItemCommand({ TableName, Item }));
    expect(await eventually(() => objectText('notes/NOTE#direct'))).toContain('"direct"');
  });

  test('that a filter does not want is not delivered', async () => {
    const TableName = cloud.output('TableName');
    const Item = { PK: { S: 'OTHER#1' }, SK: { S: 'X' }, action: { S: 'poison' } };
    await clients.database.send(new PutItemCommand({ TableName, Item }));
    await post({ id: 'after-other', text: 'x' });
    expect(await eventually(() => objectText('notes/NOTE#after-other'))).toBeDefined();
    expect(await objectText('notes/OTHER#1')).toBeUndefined();
  });

  test('that always fails is given up; its neighbours are not', async () => {
    await Promise.all([
      post({ id: 'good-1', text: 'good' }),
      post({ id: 'bad', text: 'bad', action: 'poison' }),
      post({ id: 'good-2', text: 'good' }),
      post({ id: 'stuck', text: 'stuck', action: 'fail' }),
    ]);
    await eventually(() => objectText('notes/NOTE#good-1'));
    await eventually(() => objectText('notes/NOTE#good-2'));
    const failed = [];
    while (failed.length < 2) {
      failed.push(JSON.parse(await eventually(() => message('FailedRecordsUrl'))));
    }
    for (const description of failed) {
      expect(description.requestContext.condition).toBe('RetryAttemptsExhausted');
      expect(description.DDBStreamBatchInfo.batchSize).toBe(1);
      expect(description.DDBStreamBatchInfo.streamArn).toBe(cloud.output('StreamArn'));
    }
  });
});

test('a message that is rejected each time goes to the dead-letter queue', async () => {
  const QueueUrl = cloud.output('QueueUrl');
  const MessageBody = JSON.stringify({ key: 'dead', text: 'reject' });
  await clients.queues.send(new SendMessageCommand({ QueueUrl, MessageBody }));
  expect(await eventually(() => message('DeadQueueUrl'))).toBe(MessageBody);
});

test('endpoints.json says where everything is', () => {
  const { endpoints } = cloud;
  expect(endpoints.aws).toBe(`http://127.0.0.1:${cloud.portBase}`);
  expect(endpoints.api).toBe(`http://127.0.0.1:${cloud.portBase + 1}`);
  expect(endpoints.mqtt.port).toBe(cloud.portBase + 2);
  expect(endpoints.outputs['ApiUrl']).toBe(endpoints.api);
  expect(endpoints.token).toMatch(/^[A-Za-z0-9]{40}$/);
});
