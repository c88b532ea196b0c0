import { DescribeEndpointCommand } from '@aws-sdk/client-iot';
import { GetThingShadowCommand, UpdateThingShadowCommand } from '@aws-sdk/client-iot-data-plane';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fixture, inbox, json, startFixture } from './fixture.ts';

const queueUrl = 'http://127.0.0.1:1/000000000000/reports';
let iot: Fixture;

beforeAll(async () => {
  iot = await startFixture({
    topicRules: [
      {
        name: 'reports',
        sql: `SELECT state.reported AS r, version AS v, topic(3) AS edge
          FROM '$aws/things/+/shadow/name/prog/update/accepted'`,
        sqlVersion: '2016-03-23',
        disabled: false,
        actions: [{ Sqs: { QueueUrl: queueUrl, RoleArn: 'arn:aws:iam::0:role/r' } }],
      },
    ],
  });
});
afterAll(() => iot.close());

test('an enrolled edge reports over MQTT and the rule carries it to the queue', async () => {
  const credentials = await iot.enrol('edge-1', ['edge']);
  const client = await iot.connect(credentials);
  await client.subscribeAsync('$aws/things/edge-1/shadow/name/prog/update/accepted', { qos: 1 });
  const box = inbox(client);
  const report = { state: { reported: { b: 'boot', d: '0-4' } }, clientToken: 't1' };
  await client.publishAsync('$aws/things/edge-1/shadow/name/prog/update', JSON.stringify(report), {
    qos: 1,
  });
  const accepted = json((await box.next('update/accepted')).payload);
  expect(accepted).toMatchObject({ ...report, version: 1 });
  await iot.service.idle();
  expect(iot.sent).toEqual([
    { queueUrl, body: JSON.stringify({ r: report.state.reported, v: 1, edge: 'edge-1' }) },
  ]);
});

test('work that the cloud writes over HTTP reaches the edge as a delta', async () => {
  const credentials = await iot.enrol('edge-2', ['edge']);
  const client = await iot.connect(credentials);
  await client.subscribeAsync('$aws/things/edge-2/shadow/name/work/update/delta', { qos: 0 });
  const box = inbox(client);
  const payload = Buffer.from(JSON.stringify({ state: { desired: { e: 1, w: {} } } }));
  const target = { thingName: 'edge-2', shadowName: 'work' };
  await iot.data.send(new UpdateThingShadowCommand({ ...target, payload }));
  const delta = json((await box.next('update/delta')).payload);
  expect(delta).toMatchObject({ state: { e: 1, w: {} }, version: 1 });
  const got = await iot.data.send(new GetThingShadowCommand(target));
  expect(json(got.payload!)).toMatchObject({ state: { desired: { e: 1, w: {} } } });
});

test('the endpoint is the broker', async () => {
  const command = new DescribeEndpointCommand({ endpointType: 'iot:Data-ATS' });
  const { endpointAddress } = await iot.control.send(command);
  expect(endpointAddress).toBe(`127.0.0.1:${iot.service.mqttPort}`);
});
