/** The data plane through the official SDK: typed errors, lists, Publish and retained messages. */
import {
  DeleteThingShadowCommand,
  GetRetainedMessageCommand,
  GetThingShadowCommand,
  ListNamedShadowsForThingCommand,
  ListRetainedMessagesCommand,
  PublishCommand,
  UpdateThingShadowCommand,
} from '@aws-sdk/client-iot-data-plane';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fixture, inbox, json, startFixture } from '../fixture.ts';

let iot: Fixture;
beforeAll(async () => {
  iot = await startFixture();
});
afterAll(() => iot.close());

const update = (thingName: string, document: object, shadowName?: string) =>
  iot.data.send(
    new UpdateThingShadowCommand({
      thingName,
      ...(shadowName === undefined ? {} : { shadowName }),
      payload: Buffer.from(JSON.stringify(document)),
    }),
  );
const reported = { state: { reported: { a: 1 } } };

test('errors arrive as the exceptions of the SDK', async () => {
  await expect(
    iot.data.send(new GetThingShadowCommand({ thingName: 'nobody' })),
  ).rejects.toMatchObject({
    name: 'ResourceNotFoundException',
    message: "No shadow exists with name: 'nobody'",
    $metadata: { httpStatusCode: 404 },
  });
  await update('t-1', reported);
  await expect(update('t-1', { ...reported, version: 9 })).rejects.toMatchObject({
    name: 'ConflictException',
    message: 'Version conflict',
  });
  await expect(update('t-1', { state: 1 })).rejects.toMatchObject({
    name: 'InvalidRequestException',
  });
  await expect(
    update('t-1', { state: { reported: { a: 'x'.repeat(9000) } } }),
  ).rejects.toMatchObject({ name: 'RequestEntityTooLargeException' });
  await expect(update('t 1', reported)).rejects.toMatchObject({ name: 'InvalidRequestException' });
  await expect(update('t-1', reported, 'a b')).rejects.toMatchObject({
    name: 'InvalidRequestException',
  });
  const payload = Buffer.from([0x7b, 0xff]);
  await expect(
    iot.data.send(new UpdateThingShadowCommand({ thingName: 't-1', payload })),
  ).rejects.toMatchObject({ name: 'UnsupportedDocumentEncodingException' });
});

test('named shadows are listed in pages, without the classic one and deleted ones', async () => {
  const thingName = 't-2';
  await update(thingName, reported);
  for (const name of ['c', 'a', 'b', 'gone']) await update(thingName, reported, name);
  await iot.data.send(new DeleteThingShadowCommand({ thingName, shadowName: 'gone' }));
  const first = await iot.data.send(
    new ListNamedShadowsForThingCommand({ thingName, pageSize: 2 }),
  );
  expect(first.results).toEqual(['a', 'b']);
  expect(first.timestamp).toBeGreaterThan(1_600_000_000);
  const { nextToken } = first;
  const second = await iot.data.send(
    new ListNamedShadowsForThingCommand({ thingName, pageSize: 2, nextToken }),
  );
  expect(second.results).toEqual(['c']);
  expect(second.nextToken).toBeUndefined();
  const none = await iot.data.send(new ListNamedShadowsForThingCommand({ thingName: 'nobody' }));
  expect(none.results).toEqual([]);
});

test('a page of names that is just full has no next one, and sizes are checked', async () => {
  const thingName = 'edge-pages';
  const list = (query: { pageSize?: number; nextToken?: string }) =>
    iot.data.send(new ListNamedShadowsForThingCommand({ thingName, ...query }));
  const { $metadata, ...empty } = await list({});
  expect(empty).toEqual({ results: [], timestamp: expect.closeTo(Date.now() / 1000, -1) });
  const payload = Buffer.from('{"state":{}}');
  for (const shadowName of ['b', 'a', 'B', '$c', 'a-1']) {
    await iot.data.send(new UpdateThingShadowCommand({ thingName, shadowName, payload }));
  }
  const all = await list({ pageSize: 5 });
  expect(new Set(all.results)).toEqual(new Set(['b', 'a', 'B', '$c', 'a-1']));
  expect(all.nextToken).toBeUndefined();
  const first = await list({ pageSize: 3 });
  const second = await list({ pageSize: 3, nextToken: first.nextToken! });
  expect([...first.results!, ...second.results!]).toEqual(all.results);
  expect(second.nextToken).toBeUndefined();
  for (const pageSize of [0, 101]) {
    await expect(list({ pageSize })).rejects.toMatchObject({ name: 'InvalidRequestException' });
  }
});

test('the twenty-first request of a second is throttled', async () => {
  const requests = Array.from({ length: 21 }, () =>
    update('t-fast', reported).then(
      () => 'done',
      (error: Error) => error.name,
    ),
  );
  const outcomes = await Promise.all(requests);
  expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(20);
  expect(outcomes).toContain('ThrottlingException');
});

test('Publish reaches subscribers, with slashes in the topic', async () => {
  const client = await iot.operator();
  const box = inbox(client);
  await client.subscribeAsync('jobs/+/log', { qos: 1 });
  const payload = Buffer.from([1, 2, 255]);
  await iot.data.send(new PublishCommand({ topic: 'jobs/j-1/log', qos: 1, payload }));
  expect(await box.next('log')).toEqual({ topic: 'jobs/j-1/log', payload });
});

test('Publish to a shadow topic is a request to the shadow', async () => {
  const client = await iot.operator('watcher');
  const box = inbox(client);
  await client.subscribeAsync('$aws/things/t-3/shadow/update/+', { qos: 1 });
  const topic = '$aws/things/t-3/shadow/update';
  await iot.data.send(
    new PublishCommand({ topic, payload: Buffer.from(JSON.stringify(reported)) }),
  );
  expect(json((await box.next('accepted')).payload)).toMatchObject({ version: 1 });
});

test('retained messages can be read and listed', async () => {
  const topic = 'kept/state';
  const payload = Buffer.from('v1');
  await iot.data.send(new PublishCommand({ topic, payload, retain: true, qos: 1 }));
  const kept = await iot.data.send(new GetRetainedMessageCommand({ topic }));
  expect(Buffer.from(kept.payload!).toString()).toBe('v1');
  const { retainedTopics } = await iot.data.send(new ListRetainedMessagesCommand({}));
  expect(retainedTopics).toMatchObject([{ topic, payloadSize: 2, qos: 1 }]);
  await expect(
    iot.data.send(new PublishCommand({ topic: '$aws/things/x/shadow/get', retain: true })),
  ).rejects.toMatchObject({ name: 'InvalidRequestException' });
});
