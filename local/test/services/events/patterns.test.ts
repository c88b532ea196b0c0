/**
 * The examples of EventBridge's own page of pattern operators
 * (https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-pattern-operators.html): each
 * pattern with events that the page says it matches, and with one that it does not.
 */
import { expect, test } from 'vitest';
import type { Json } from '../../../assembly/assembly.ts';
import { compileFilter } from '../../../services/lambda/event-sources/filter/pattern.ts';
import { parseExactly } from '../../../services/lambda/event-sources/filter/written-number.ts';

type Case = readonly [pattern: Json, matching: readonly Json[], other: readonly Json[]];

const detail = (more: Json): Json => ({ detail: more });

const cases: Readonly<Record<string, Case>> = {
  prefix: [
    { time: [{ prefix: '2017-10-02' }] },
    [{ time: '2017-10-02T18:43:48Z' }],
    [{ time: 'x' }],
  ],
  'prefix, ignoring case': [
    detail({ service: [{ prefix: { 'equals-ignore-case': 'EventB' } }] }),
    [detail({ service: 'EVENTBRIDGE' }), detail({ service: 'eventbridge' })],
    [detail({ service: 'bridge' })],
  ],
  suffix: [
    detail({ FileName: [{ suffix: '.png' }] }),
    [detail({ FileName: 'a.png' })],
    [detail({ FileName: 'a.PNG' })],
  ],
  'suffix, ignoring case': [
    detail({ FileName: [{ suffix: { 'equals-ignore-case': '.png' } }] }),
    [detail({ FileName: 'a.PNG' })],
    [detail({ FileName: 'a.jpg' })],
  ],
  'anything-but a text': [
    detail({ state: [{ 'anything-but': 'initializing' }] }),
    [detail({ state: 'running' })],
    [detail({ state: 'initializing' })],
  ],
  'anything-but a number': [
    detail({ 'x-limit': [{ 'anything-but': 123 }] }),
    [detail({ 'x-limit': 124 })],
    [detail({ 'x-limit': 123 })],
  ],
  'anything-but a list': [
    detail({ 'x-limit': [{ 'anything-but': [100, 200, 300] }] }),
    [detail({ 'x-limit': 201 })],
    [detail({ 'x-limit': 200 })],
  ],
  'anything-but, ignoring case': [
    detail({ state: [{ 'anything-but': { 'equals-ignore-case': ['initializing', 'stopped'] } }] }),
    [detail({ state: 'running' })],
    [detail({ state: 'STOPPED' })],
  ],
  'anything-but a prefix': [
    detail({ state: [{ 'anything-but': { prefix: 'init' } }] }),
    [detail({ state: 'running' })],
    [detail({ state: 'initializing' })],
  ],
  'anything-but a suffix': [
    detail({ FileName: [{ 'anything-but': { suffix: '.txt' } }] }),
    [detail({ FileName: 'a.png' })],
    [detail({ FileName: 'a.txt' })],
  ],
  'anything-but wildcards': [
    detail({ FilePath: [{ 'anything-but': { wildcard: ['*/lib/*', '*/bin/*'] } }] }),
    [detail({ FilePath: '/usr/share/x' })],
    [detail({ FilePath: '/usr/lib/x' })],
  ],
  'numeric ranges': [
    detail({
      'c-count': [{ numeric: ['>', 0, '<=', 5] }],
      'd-count': [{ numeric: ['<', 10] }],
      'x-limit': [{ numeric: ['=', 3.018e2] }],
    }),
    [detail({ 'c-count': 5, 'd-count': 9, 'x-limit': 301.8 })],
    [detail({ 'c-count': 0, 'd-count': 9, 'x-limit': 301.8 })],
  ],
  'an address': [
    detail({ sourceIPAddress: [{ cidr: '10.0.0.0/24' }] }),
    [detail({ sourceIPAddress: '10.0.0.255' })],
    [detail({ sourceIPAddress: '10.0.1.0' })],
  ],
  'a field that is there': [
    detail({ state: [{ exists: true }] }),
    [detail({ state: 'x' })],
    [detail({ other: 'x' })],
  ],
  'a field that is not there': [
    detail({ 'c-count': [{ exists: false }] }),
    [detail({ state: 'x' })],
    [detail({ 'c-count': 1 })],
  ],
  'ignoring case': [
    { 'detail-type': [{ 'equals-ignore-case': 'ec2 instance state-change notification' }] },
    [{ 'detail-type': 'EC2 Instance State-change Notification' }],
    [{ 'detail-type': 'ec2' }],
  ],
  wildcards: [
    detail({ EventBusArn: [{ wildcard: 'arn:aws:events:us-east-1:*:event-bus/*' }] }),
    [detail({ EventBusArn: 'arn:aws:events:us-east-1:1:event-bus/a' })],
    [detail({ EventBusArn: 'arn:aws:events:us-west-1:1:event-bus/a' })],
  ],
  'several conditions': [
    {
      time: [{ prefix: '2017-10-02' }],
      detail: {
        state: [{ 'anything-but': 'initializing' }],
        'c-count': [{ numeric: ['>', 0, '<=', 5] }],
      },
    },
    [{ time: '2017-10-02T1', detail: { state: 'running', 'c-count': 3 } }],
    [{ time: '2017-10-02T1', detail: { state: 'running', 'c-count': 6 } }],
  ],
  'one of several conditions': [
    detail({
      $or: [
        { 'c-count': [{ numeric: ['>', 0, '<=', 5] }] },
        { 'd-count': [{ numeric: ['<', 10] }] },
        { 'x-limit': [{ numeric: ['=', 3.018e2] }] },
      ],
    }),
    [detail({ 'c-count': 1 }), detail({ 'x-limit': 301.8 }), detail({ 'd-count': 9 })],
    [detail({ 'c-count': 9, 'd-count': 11 })],
  ],
  'null and the empty text': [
    detail({ eventVersion: [''], responseElements: [null] }),
    [detail({ eventVersion: '', responseElements: null })],
    [detail({ eventVersion: '', responseElements: '' }), detail({ eventVersion: '' })],
  ],
  'one of a list': [
    { resources: ['arn:a', 'arn:b'] },
    [{ resources: ['arn:x', 'arn:b'] }],
    [{ resources: ['arn:x'] }, { resources: [] }],
  ],
};

test.each(Object.entries(cases))('%s', (_, [pattern, matching, others]) => {
  const matches = compileFilter(JSON.stringify(pattern), 'EventPattern');
  const judge = (event: Json): boolean => matches(parseExactly(JSON.stringify(event)));
  expect(matching.map(judge)).toEqual(matching.map(() => true));
  expect(others.map(judge)).toEqual(others.map(() => false));
});
