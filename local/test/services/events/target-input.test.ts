/**
 * What targets get. The transformations are the examples of EventBridge's own page
 * (https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-transform-target-input.html).
 */
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../assembly/assembly.ts';
import { readerOf } from '../../../assembly/property.ts';
import { targetInputOf } from '../../../services/events/target-input.ts';

const event = {
  version: '0',
  id: '7bf73129-1428-4cd3-a780-95db273d1602',
  'detail-type': 'EC2 Instance State-change Notification',
  source: 'aws.ec2',
  account: '123456789012',
  time: '2015-11-11T21:29:54Z',
  region: 'us-east-1',
  resources: ['arn:aws:ec2:us-east-1:123456789012:instance/i-abcd1111'],
  detail: { 'instance-id': 'i-0123456789', state: 'RUNNING', odd: [{ 'a b': 'say "x"' }] },
};
const rule = { name: 'example', arn: 'arn:aws:events:us-east-1:123456789012:rule/example' };
const given = (target: JsonObject): string =>
  targetInputOf(readerOf(target, 'Target'))(event, rule);

const paths = { instance: '$.detail.instance-id', state: '$.detail.state' };

test.each<[string, JsonObject, string]>([
  ['all of it', {}, JSON.stringify(event)],
  ['a constant', { Input: '{"a":1}' }, '{"a":1}'],
  ['a part', { InputPath: '$.detail.state' }, '"RUNNING"'],
  ['a part that is not there', { InputPath: '$.detail.nothing' }, 'null'],
  ['a part of a list', { InputPath: "$.detail.odd[0]['a b']" }, '"say \\"x\\""'],
])('%s', (_, target, text) => {
  expect(given(target)).toBe(text);
});

test.each([
  ['"instance <instance> is in <state>"', '"instance i-0123456789 is in RUNNING"'],
  [
    '{"instance" : <instance>, "state": <state>}',
    '{"instance" : "i-0123456789", "state": "RUNNING"}',
  ],
  ['{"instance" : "<instance>"}', '{"instance" : "i-0123456789"}'],
  ['{"rule" : <aws.events.rule-name>}', '{"rule" : "example"}'],
  ['{"gone" : "<missing>"}', '{"gone" : ""}'],
  ['{"unknown" : "<nobody>"}', '{"unknown" : "<nobody>"}'],
])('the template %s', (InputTemplate, text) => {
  const InputPathsMap = { ...paths, missing: '$.detail.nothing' };
  expect(given({ InputTransformer: { InputPathsMap, InputTemplate } })).toBe(text);
});

test.each([
  [{ InputPath: 'detail' }, 'is no path of an event'],
  [{ Input: '1', InputPath: '$.a' }, 'one of Input and InputPath'],
])('%j is refused with its path', (target, sentence) => {
  expect(() => given(target)).toThrow(sentence);
});
