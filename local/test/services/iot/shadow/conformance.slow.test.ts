/**
 * The conformance cases against the function itself, against the reserved topics with a real MQTT
 * client, and against the HTTP API, for classic and named shadows.
 */
import type { MqttClient } from 'mqtt';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apply, type StoredShadow, topicPrefix } from '../../../../services/iot/shadow/service.ts';
import { type Fixture, inbox, json, startFixture } from '../fixture.ts';
import {
  type Answer,
  checkAnswer,
  checkMessages,
  payloadOf,
  type ShadowCase,
  type Step,
  shadowCases,
} from './case.ts';

type Target = { readonly thing: string; readonly name?: string };

const kinds = ['classic', 'named'] as const;
const targetOf = (kind: (typeof kinds)[number], label: string): Target =>
  kind === 'classic' ? { thing: label } : { thing: label, name: 'config' };
const labelOf = (target: Target) => target.name ?? target.thing;
const casesFor = (side: 'mqtt' | 'http') =>
  shadowCases.flatMap((each, at) =>
    each.only === undefined || each.only === side
      ? kinds.map((kind) => ({ each, kind, target: targetOf(kind, `${side}-${at}-${kind}`) }))
      : [],
  );

test('there are enough cases, each named once', () => {
  expect(shadowCases.length).toBeGreaterThanOrEqual(60);
  expect(new Set(shadowCases.map(({ name }) => name)).size).toBe(shadowCases.length);
});

describe('the function', () => {
  test.each(shadowCases)('$name', (each: ShadowCase) => {
    let stored: StoredShadow | undefined;
    const run = { shadowLabel: 'thing-1', times: [] };
    const firstMs = Date.now() - each.steps.length * 1000;
    for (const [at, step] of each.steps.entries()) {
      const source = each.only ?? 'mqtt';
      const request = { operation: step.op, thing: 'thing-1', payload: payloadOf(step), source };
      // Each step in a second of its own, so that no time can be mistaken for another one.
      const outcome = apply(firstMs + at * 1000, stored, request);
      stored = outcome.next;
      const body = JSON.parse(JSON.stringify(outcome.response.body)) as Answer['body'];
      checkAnswer(step, { code: outcome.response.code, body }, run);
      const prefix = `${topicPrefix('thing-1', undefined)}/`;
      const published = new Map(
        outcome.messages.map(({ topic, body: message }) => [
          topic.slice(prefix.length),
          JSON.parse(JSON.stringify(message)) as Record<string, unknown>,
        ]),
      );
      checkMessages(step, published, run);
    }
  });
});

describe('over the wire', () => {
  let iot: Fixture;
  let client: MqttClient;
  let box: ReturnType<typeof inbox>;

  beforeAll(async () => {
    iot = await startFixture();
    client = await iot.operator();
    box = inbox(client);
    await client.subscribeAsync('$aws/things/+/shadow/#', { qos: 1 });
  });
  afterAll(() => iot.close());

  /** The last message of a request: nothing of it can come after. */
  const lastSuffix = (step: Step, code: number) =>
    code !== 200
      ? `${step.op}/rejected`
      : step.op === 'update'
        ? 'update/documents'
        : `${step.op}/accepted`;

  const publishedFor = async (target: Target, suffix: string, from: number) => {
    const prefix = `${topicPrefix(target.thing, target.name)}/`;
    await box.next(`${prefix}${suffix}`, from);
    return new Map(
      box.received
        .slice(from)
        .filter(
          ({ topic }) =>
            topic.startsWith(prefix) && /accepted|rejected|delta|documents/.test(topic),
        )
        .map(({ topic, payload }) => [topic.slice(prefix.length), json(payload)]),
    );
  };

  test.each(casesFor('mqtt'))('MQTT, $kind: $each.name', async ({ each, target }) => {
    const run = { shadowLabel: labelOf(target), times: [] };
    for (const step of each.steps) {
      const from = box.received.length;
      const code = step.expect?.code ?? 200;
      const topic = `${topicPrefix(target.thing, target.name)}/${step.op}`;
      await client.publishAsync(topic, payloadOf(step), { qos: 1 });
      const published = await publishedFor(target, lastSuffix(step, code), from);
      const body = published.get(`${step.op}/accepted`) ?? published.get(`${step.op}/rejected`)!;
      checkAnswer(step, { code: Number(body['code'] ?? 200), body }, run);
      checkMessages(step, published, run);
    }
  });

  test.each(casesFor('http'))('HTTP, $kind: $each.name', async ({ each, target }) => {
    const run = { shadowLabel: labelOf(target), times: [] };
    for (const step of each.steps) {
      const from = box.received.length;
      const answer = await overHttp(iot, target, step);
      checkAnswer(step, answer, run);
      // "using the REST API … no MQTT error messages are emitted"
      const silent = answer.code !== 200 || step.op === 'get';
      const published = silent
        ? new Map<string, Record<string, unknown>>()
        : await publishedFor(target, lastSuffix(step, 200), from);
      checkMessages(step, published, run);
    }
  });
});

async function overHttp(iot: Fixture, target: Target, step: Step): Promise<Answer> {
  const methods = { get: 'GET', update: 'POST', delete: 'DELETE' } as const;
  const query = target.name === undefined ? '' : `?name=${target.name}`;
  const response = await fetch(`${iot.httpUrl}iotdata/things/${target.thing}/shadow${query}`, {
    method: methods[step.op],
    ...(step.op === 'get' ? {} : { body: payloadOf(step) }),
  });
  return { code: response.status, body: (await response.json()) as Answer['body'] };
}
