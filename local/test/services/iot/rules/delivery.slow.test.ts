/** What rules owe reaches their actions, or the error action, or stays owed over a restart. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PublishCommand } from '@aws-sdk/client-iot-data-plane';
import { expect, test } from 'vitest';
import type { ResolvedTopicRule } from '../../../../services/iot/rules/rules.ts';
import { type Fixture, inbox, startFixture } from '../fixture.ts';

const queueUrl = 'http://127.0.0.1:1/000000000000/q';
const sqs = { Sqs: { QueueUrl: queueUrl, RoleArn: 'r' } };
const rule = (
  name: string,
  sql: string,
  actions: object[],
  errorAction?: object,
): ResolvedTopicRule => ({
  name,
  sql,
  sqlVersion: '2016-03-23',
  disabled: false,
  actions,
  ...(errorAction === undefined ? {} : { errorAction }),
});
const publish = (iot: Fixture, topic: string, body: string) =>
  iot.data.send(new PublishCommand({ topic, qos: 1, payload: Buffer.from(body) }));

test('each kind of action gets the result of the SELECT', async () => {
  const iot = await startFixture({
    topicRules: [
      rule('all', "SELECT a, topic(2) AS t FROM 'in/+'", [
        sqs,
        { Sqs: { QueueUrl: queueUrl, UseBase64: true } },
        // biome-ignore lint/suspicious/noTemplateCurlyInString: this is a substitution template
        { S3: { BucketName: 'b', Key: 'k/${topic(2)}-${a}.json' } },
        { Lambda: { FunctionArn: 'arn:f' } },
        // biome-ignore lint/suspicious/noTemplateCurlyInString: this is a substitution template
        { Republish: { Topic: 'out/${topic(2)}', Qos: 1 } },
      ]),
    ],
  });
  try {
    const client = await iot.operator();
    const box = inbox(client);
    await client.subscribeAsync('out/#', { qos: 1 });
    await publish(iot, 'in/x', '{"a":1,"b":2}');
    const body = '{"a":1,"t":"x"}';
    expect((await box.next('out/x')).payload.toString()).toBe(body);
    await iot.service.idle();
    expect(iot.sent.map((each) => each.body)).toEqual([body, Buffer.from(body).toString('base64')]);
    expect(iot.stored).toEqual([{ bucket: 'b', key: 'k/x-1.json', body: Buffer.from(body) }]);
    expect(iot.invoked).toEqual([{ functionArn: 'arn:f', payload: { a: 1, t: 'x' } }]);
  } finally {
    await iot.close();
  }
});

test('lifecycle events trigger rules', async () => {
  const sql = "SELECT clientId, eventType, versionNumber FROM '$aws/events/presence/+/+'";
  const iot = await startFixture({ topicRules: [rule('presence', sql, [sqs])] });
  try {
    const client = await iot.connect(await iot.enrol('edge-1'));
    await client.endAsync();
    await expect.poll(() => iot.sent.length).toBe(2);
    const event = (eventType: string) => ({ clientId: 'edge-1', eventType, versionNumber: 0 });
    expect(iot.sent.map(({ body }) => JSON.parse(body))).toEqual([
      event('connected'),
      event('disconnected'),
    ]);
  } finally {
    await iot.close();
  }
});

test('a rule may write a shadow by republishing to $$aws, and a loop ends', async () => {
  const iot = await startFixture({
    topicRules: [
      rule('to-shadow', 'SELECT {"reported": {"on": on}} AS state FROM \'switch/+\'', [
        // biome-ignore lint/suspicious/noTemplateCurlyInString: this is a substitution template
        { Republish: { Topic: '$$aws/things/${topic(2)}/shadow/update' } },
      ]),
      rule('accepted', "SELECT state FROM '$aws/things/+/shadow/update/accepted'", [sqs]),
      rule('loop', "SELECT * FROM 'loop'", [{ Republish: { Topic: 'loop' } }]),
    ],
  });
  try {
    await publish(iot, 'switch/lamp', '{"on":true}');
    await publish(iot, 'loop', '{}');
    await iot.service.idle();
    expect(iot.sent.map(({ body }) => JSON.parse(body))).toEqual([
      { state: { reported: { on: true } } },
    ]);
    expect(iot.logs.join()).toContain('republished 10 times already');
  } finally {
    await iot.close();
  }
});

test('an action that fails a few times is tried again', async () => {
  let failures = 3;
  const delivered: string[] = [];
  const iot = await startFixture({
    topicRules: [rule('again', "SELECT * FROM 'in'", [sqs])],
    deliver: {
      sqs: async (_queue, body) => {
        if (failures-- > 0) throw new Error('not now');
        delivered.push(body);
      },
    },
  });
  try {
    await publish(iot, 'in', '{"a":1}');
    await iot.service.idle();
    expect(delivered).toEqual(['{"a":1}']);
    expect(iot.service.counters()).toMatchObject({
      rulesDelivered: 1,
      rulesRetried: 3,
      rulesOwed: 0,
    });
  } finally {
    await iot.close();
  }
});

test('an action that keeps failing ends in the error action with the payload', async () => {
  const iot = await startFixture({
    topicRules: [
      rule('broken', "SELECT a AS x FROM 'in'", [sqs], { Lambda: { FunctionArn: 'arn:errors' } }),
    ],
    deliver: { sqs: () => Promise.reject(new Error('The queue does not exist.')) },
  });
  try {
    await publish(iot, 'in', '{"a":1}');
    await iot.service.idle();
    expect(iot.invoked).toEqual([
      {
        functionArn: 'arn:errors',
        payload: {
          ruleName: 'broken',
          topic: 'in',
          cloudwatchTraceId: expect.any(String),
          clientId: 'n/a',
          base64OriginalPayload: Buffer.from('{"a":1}').toString('base64'),
          failures: [
            {
              failedAction: 'SqsAction',
              failedResource: queueUrl,
              errorMessage: 'The queue does not exist.',
            },
          ],
        },
      },
    ]);
  } finally {
    await iot.close();
  }
});

test('what is owed when the service stops is delivered after the next start', async () => {
  const stateDir = mkdtempSync(join(tmpdir(), 'iot-owed-'));
  const topicRules = [rule('later', "SELECT * FROM 'in'", [sqs])];
  const never = {
    sqs: () => new Promise<never>((_, reject) => setImmediate(reject, new Error('down'))),
  };
  try {
    const first = await startFixture({ stateDir, topicRules, deliver: never });
    await publish(first, 'in', '{"a":1}');
    await publish(first, 'in', '{"a":2}');
    await first.close();
    const second = await startFixture({ stateDir, topicRules });
    await second.service.idle();
    expect(second.sent.map(({ body }) => body).sort()).toEqual(['{"a":1}', '{"a":2}']);
    await second.close();
    const third = await startFixture({ stateDir, topicRules });
    await third.service.idle();
    expect(third.sent).toEqual([]);
    await third.close();
  } finally {
    rmSync(stateDir, { recursive: true, force: true });
  }
});
