/** What outlives a restart of the service. Sessions of clients have a file of their own. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AttachThingPrincipalCommand } from '@aws-sdk/client-iot';
import { GetThingShadowCommand, UpdateThingShadowCommand } from '@aws-sdk/client-iot-data-plane';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ensureAuthority } from '../../../services/iot/control-plane/authority.ts';
import { openJournal } from '../../../services/iot/journal.ts';
import { presenceSchema, presenceStore } from '../../../services/iot/presence/store.ts';
import { inbox, json, startFixture } from './fixture.ts';

let stateDir: string;
beforeAll(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'iot-restart-'));
});
afterAll(() => rmSync(stateDir, { recursive: true, force: true }));

test('the authority is made once, also when two ask at the same time', async () => {
  const [first, second] = await Promise.all([ensureAuthority(stateDir), ensureAuthority(stateDir)]);
  expect(first.caPem).toBe(second.caPem);
  const third = await ensureAuthority(stateDir);
  expect(third.caPem).toBe(first.caPem);
  expect(third.operator.certificateId).toBe(first.operator.certificateId);
});

test('certificates, shadows, retained messages and numbers of connections stay', async () => {
  const thingName = 'edge-1';
  const first = await startFixture({ stateDir });
  const edge = await first.enrol(thingName, ['open']);
  const payload = Buffer.from('{"state":{"reported":{"a":1}}}');
  await first.data.send(new UpdateThingShadowCommand({ thingName, payload }));
  const client = await first.connect(edge);
  await client.publishAsync('kept', 'v1', { qos: 1, retain: true });
  await first.close();

  const second = await startFixture({ stateDir });
  try {
    const watcher = await second.operator();
    const events = inbox(watcher);
    await watcher.subscribeAsync('$aws/events/presence/connected/edge-1', { qos: 1 });
    const again = await second.connect(edge);
    const box = inbox(again);
    await again.subscribeAsync('kept', { qos: 1 });
    expect((await box.next('kept')).payload.toString()).toBe('v1');
    expect(json((await events.next('edge-1')).payload)).toMatchObject({ versionNumber: 1 });
    const got = await second.data.send(new GetThingShadowCommand({ thingName }));
    expect(json(got.payload!)).toMatchObject({ state: { reported: { a: 1 } }, version: 1 });
  } finally {
    await second.close();
  }
});

test('connections that a killed process left open are ended in the events', async () => {
  const sql = "SELECT clientId, disconnectReason, versionNumber FROM '$aws/events/presence/+/+'";
  const journal = openJournal(join(stateDir, 'iot', 'state.sqlite'), presenceSchema);
  const store = presenceStore(journal.database);
  await journal.write(() => store.connected(Date.now(), 'edge-lost', 's', 'c'));
  journal.close();
  const topicRules = [
    {
      name: 'presence',
      sql,
      sqlVersion: '2016-03-23',
      disabled: false,
      actions: [{ Sqs: { QueueUrl: 'http://q' } }],
    },
  ];
  const iot = await startFixture({ stateDir, topicRules });
  try {
    await iot.service.idle();
    expect(iot.sent.map(({ body }) => JSON.parse(body))).toEqual([
      { clientId: 'edge-lost', disconnectReason: 'SERVER_ERROR', versionNumber: 0 },
    ]);
  } finally {
    await iot.close();
  }
});

test('an exclusive thing needs no client id of its own and is named in the events', async () => {
  const policies = [
    {
      name: 'exclusive',
      document: {
        Version: '2012-10-17',
        Statement: [
          {
            Effect: 'Allow',
            Action: 'iot:*',
            Resource: '*',
            Condition: { StringEquals: { 'iot:Connection.Thing.ThingName': 'edge-owner' } },
          },
        ],
      },
    },
  ];
  const iot = await startFixture({ policies });
  try {
    const watcher = await iot.operator();
    const events = inbox(watcher);
    await watcher.subscribeAsync('$aws/events/presence/connected/#', { qos: 1 });
    const edge = await iot.enrol('edge-owner', ['exclusive']);
    await expect(iot.connect(edge, { clientId: 'other-name' })).rejects.toThrow();
    await iot.control.send(
      new AttachThingPrincipalCommand({
        thingName: edge.thing,
        principal: edge.certificateArn,
        thingPrincipalType: 'EXCLUSIVE_THING',
      }),
    );
    await iot.connect(edge, { clientId: 'other-name' });
    expect(json((await events.next('other-name')).payload)).toMatchObject({
      thingName: 'edge-owner',
    });
  } finally {
    await iot.close();
  }
});
