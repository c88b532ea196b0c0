/** AWS IoT policies: patterns, variables, conditions, and that Deny wins. */
import { describe, expect, test } from 'vitest';
import type { Variables } from '../../../../services/iot/policy/pattern.ts';
import {
  evaluate,
  type PolicyAction,
  parsePolicy,
} from '../../../../services/iot/policy/policy.ts';

const variables = (values: Record<string, string | string[]>): Variables => {
  const all = (name: string) => {
    const value = Object.entries(values).find(([key]) => key.toLowerCase() === name)?.[1];
    return value === undefined ? [] : [value].flat();
  };
  return { all, get: (name) => all(name)[0] };
};

const edge = variables({
  'iot:ClientId': 'edge-1',
  'iot:Connection.Thing.ThingName': 'edge-1',
  'iot:Connection.Thing.IsAttached': 'true',
  'iot:Connection.Thing.Attributes[envType]': 'prod',
  'aws:SourceIp': '10.1.2.3',
});

const decide = (
  statements: object | object[],
  action: PolicyAction,
  resource: string,
  known: Variables = edge,
) =>
  evaluate(
    [parsePolicy('p', { Version: '2012-10-17', Statement: statements })],
    action,
    resource,
    known,
  );

const allow = (Action: string | string[], Resource: string | string[], Condition?: object) => ({
  Effect: 'Allow',
  Action,
  Resource,
  ...(Condition === undefined ? {} : { Condition }),
});
const deny = (Action: string, Resource: string) => ({ Effect: 'Deny', Action, Resource });
// biome-ignore lint/suspicious/noTemplateCurlyInString: this is a variable of a policy
const thingName = '${iot:Connection.Thing.ThingName}';

describe('resources', () => {
  test.each<[string, string, boolean]>([
    ['topic/a/b', 'topic/a/b', true],
    ['topic/a/b', 'topic/a/b/c', false],
    ['topic/a/*', 'topic/a/b/c', true],
    ['*', 'topic/a', true],
    ['topic/*/c', 'topic/a/b/c', true],
    ['topic/*/c', 'topic/a/b/d', false],
    ['topic/a?', 'topic/ab', true],
    ['topic/a?', 'topic/a', false],
    ['topic/*a*b*', 'topic/xaxbx', true],
    ['topicfilter/a/+', 'topicfilter/a/+', true],
    ['topicfilter/a/+', 'topicfilter/a/b', false],
    ['topicfilter/a/#', 'topicfilter/a/b', false],
    [`topic/${thingName}/x`, 'topic/edge-1/x', true],
    [`topic/${thingName}/x`, 'topic/edge-2/x', false],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is a variable of a policy
    ['topic/${iot:ClientId}/x', 'topic/edge-1/x', true],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is a variable of a policy
    ['topic/${iot:Connection.Thing.Attributes[envType]}', 'topic/prod', true],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is an escaped wildcard
    ['topic/a${*}', 'topic/a*', true],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is an escaped wildcard
    ['topic/a${*}', 'topic/ab', false],
  ])('%s against %s: %s', (pattern, resource, holds) => {
    expect(decide(allow('iot:Publish', pattern), 'iot:Publish', resource) === 'allowed').toBe(
      holds,
    );
  });

  test('a variable without a value matches nothing', () => {
    const unknown = variables({ 'iot:ClientId': 'edge-1' });
    const statement = allow('iot:Publish', `topic/${thingName}*`);
    expect(decide(statement, 'iot:Publish', 'topic/', unknown)).toBe('denied');
  });

  test('the value of a variable is no pattern', () => {
    const star = variables({ 'iot:Connection.Thing.ThingName': '*' });
    const statement = allow('iot:Publish', `topic/${thingName}`);
    expect(decide(statement, 'iot:Publish', 'topic/edge-1', star)).toBe('denied');
    expect(decide(statement, 'iot:Publish', 'topic/*', star)).toBe('allowed');
  });
});

describe('statements', () => {
  test('what nothing allows is denied', () => {
    expect(decide([], 'iot:Connect', 'client/a')).toBe('denied');
    expect(decide(allow('iot:Connect', '*'), 'iot:Publish', 'topic/a')).toBe('denied');
  });

  test('Deny wins, whatever the order', () => {
    const both = [deny('iot:Publish', 'topic/a'), allow('iot:*', '*')];
    expect(decide(both, 'iot:Publish', 'topic/a')).toBe('denied');
    expect(decide(both.toReversed(), 'iot:Publish', 'topic/a')).toBe('denied');
    expect(decide(both, 'iot:Publish', 'topic/b')).toBe('allowed');
  });

  test('actions know no case and take wildcards', () => {
    expect(decide(allow('IOT:pub*', '*'), 'iot:Publish', 'topic/a')).toBe('allowed');
    expect(decide(allow(['iot:Connect', 'iot:Receive'], '*'), 'iot:Receive', 'topic/a')).toBe(
      'allowed',
    );
  });
});

describe('the examples of the developer guide', () => {
  const restricted = [
    allow('iot:Subscribe', 'topicfilter/topic_prefix/*'),
    { Effect: 'Allow', Action: 'iot:Receive', NotResource: 'topic/topic_prefix/restricted/*' },
  ];
  const literal = [
    allow('iot:Subscribe', 'topicfilter/department/+/employees'),
    allow('iot:Subscribe', 'topicfilter/location/#'),
    allow('iot:Receive', 'topic/*'),
  ];
  const departments = [
    allow('iot:Publish', 'topic/department/*'),
    deny('iot:Publish', 'topic/department/admins'),
  ];
  test.each<[object[], PolicyAction, string, boolean]>([
    [departments, 'iot:Publish', 'topic/department/staff', true],
    [departments, 'iot:Publish', 'topic/department/admins', false],
    [restricted, 'iot:Subscribe', 'topicfilter/topic_prefix/restricted', true],
    [restricted, 'iot:Receive', 'topic/topic_prefix/topic1', true],
    [restricted, 'iot:Receive', 'topic/topic_prefix/restricted/a', false],
    [restricted, 'iot:Publish', 'topic/topic_prefix/topic1', false],
    [literal, 'iot:Subscribe', 'topicfilter/department/+/employees', true],
    [literal, 'iot:Subscribe', 'topicfilter/department/engineering/employees', false],
    [literal, 'iot:Receive', 'topic/department/engineering/employees', true],
    [literal, 'iot:Subscribe', 'topicfilter/location/#', true],
    [literal, 'iot:Subscribe', 'topicfilter/location/Seattle', false],
    [
      [{ Effect: 'Allow', NotAction: ['iot:Publish', 'iot:Retain*'], Resource: '*' }],
      'iot:RetainPublish',
      'topic/a',
      false,
    ],
    [
      [{ Effect: 'Allow', NotAction: 'iot:Publish', Resource: '*' }],
      'iot:Connect',
      'client/a',
      true,
    ],
  ])('%j: %s %s is %s', (statements, action, resource, holds) => {
    expect(decide(statements, action, resource) === 'allowed').toBe(holds);
  });
});

describe('conditions', () => {
  const attributes = (...names: string[]) => variables({ 'iot:ConnectAttributes': names });
  const holds = (Condition: object, known = edge) =>
    decide(allow('iot:Connect', '*', Condition), 'iot:Connect', 'client/a', known) === 'allowed';

  test.each<[object, boolean]>([
    [{ Bool: { 'iot:Connection.Thing.IsAttached': 'true' } }, true],
    [{ Bool: { 'iot:Connection.Thing.IsAttached': ['false'] } }, false],
    [{ Bool: { 'iot:Connection.Thing.IsAttached': true } }, true],
    [{ StringEquals: { 'iot:ClientId': ['a', 'edge-1'] } }, true],
    [{ StringEquals: { 'iot:ClientId': 'edge-*' } }, false],
    [{ StringLike: { 'iot:ClientId': 'edge-*' } }, true],
    [{ StringNotEquals: { 'iot:ClientId': ['a', 'edge-1'] } }, false],
    [{ StringNotLike: { 'iot:ClientId': 'x*' } }, true],
    [{ StringEqualsIgnoreCase: { 'iot:ClientId': 'EDGE-1' } }, true],
    [{ IpAddress: { 'aws:SourceIp': '10.0.0.0/8' } }, true],
    [{ NotIpAddress: { 'aws:SourceIp': '10.0.0.0/8' } }, false],
    [{ StringLike: { 'iot:Connection.Thing.Attributes[envType]': 'pr*' } }, true],
    [{ StringEquals: { 'iot:Connection.Thing.ThingTypeName': 'x' } }, false],
    [{ StringEqualsIfExists: { 'iot:Connection.Thing.ThingTypeName': 'x' } }, true],
    [
      {
        StringLike: { 'iot:ClientId': 'edge-*' },
        Bool: { 'iot:Connection.Thing.IsAttached': 'false' },
      },
      false,
    ],
  ])('%j is %s', (condition, expected) => {
    expect(holds(condition)).toBe(expected);
  });

  test('attributes of a connection follow the documented examples', () => {
    const only = (quantifier: string, ...names: string[]) => ({
      [`${quantifier}:StringEquals`]: { 'iot:ConnectAttributes': names },
    });
    expect(holds(only('ForAllValues', 'PersistentConnect'), attributes('PersistentConnect'))).toBe(
      true,
    );
    expect(holds(only('ForAllValues', 'PersistentConnect'), attributes('LastWill'))).toBe(false);
    expect(holds(only('ForAllValues'), attributes())).toBe(true);
    expect(holds(only('ForAllValues'), attributes('LastWill'))).toBe(false);
    // "allows clean connect by clients with or without LastWill, no other features"
    const lastWill = { StringEquals: { 'iot:ConnectAttributes': 'LastWill' } };
    expect(holds(lastWill, attributes())).toBe(true);
    expect(holds(lastWill, attributes('LastWill'))).toBe(true);
    expect(holds(lastWill, attributes('LastWill', 'PersistentConnect'))).toBe(false);
    // "disallows PersistentConnect, other features are allowed"
    const clean = {
      'ForAllValues:StringNotEquals': { 'iot:ConnectAttributes': 'PersistentConnect' },
    };
    expect(holds(clean, attributes('LastWill'))).toBe(true);
    expect(holds(clean, attributes('LastWill', 'PersistentConnect'))).toBe(false);
    const topic = 'arn:aws:iot:eu-central-1:000000000000:topic/my/lastwill/topicName';
    const onlyTopic = { ArnEquals: { 'iot:LastWillTopic': topic } };
    expect(holds(onlyTopic, variables({ 'iot:LastWillTopic': topic }))).toBe(true);
    expect(holds(onlyTopic, variables({ 'iot:LastWillTopic': `${topic}2` }))).toBe(false);
    expect(holds(onlyTopic, attributes())).toBe(false);
    expect(holds(only('ForAnyValue', 'PersistentConnect'), attributes())).toBe(false);
    expect(
      holds(only('ForAnyValue', 'PersistentConnect'), attributes('PersistentConnect', 'LastWill')),
    ).toBe(true);
  });
});

describe('refused at start', () => {
  test.each<[object, RegExp]>([
    [{ Effect: 'Maybe', Action: 'a', Resource: '*' }, /neither Allow nor Deny/],
    [{ Effect: 'Allow', Resource: '*' }, /no Action/],
    [{ Effect: 'Allow', Action: 'a', Principal: '*', Resource: '*' }, /element Principal/],
    [
      { Effect: 'Allow', Action: 'a', Resource: '*', NotResource: 'x' },
      /both Resource and NotResource/,
    ],
    [
      allow('a', '*', { DateLessThan: { 'aws:CurrentTime': 'x' } }),
      /aws:CurrentTime is not supported/,
    ],
    [allow('a', '*', { NumericEquals: { 'iot:ClientId': 1 } }), /operator NumericEquals/],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is a variable of a policy
    [allow('a', 'topic/${iot:Unknown}'), /variable iot:Unknown/],
    [allow('a', `topic/${'x'.repeat(2100)}`), /more than 2048 characters/],
  ])('%j', (statement, message) => {
    expect(() => parsePolicy('p', { Statement: statement })).toThrow(message);
  });
});
