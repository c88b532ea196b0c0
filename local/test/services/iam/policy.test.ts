/** Evaluation of policies: actions, resources, conditions, and deny before allow. */
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../assembly/assembly.ts';
import type { RequestContext } from '../../../services/iam/condition.ts';
import { checkIdentityStatement, decide, parsePolicy } from '../../../services/iam/policy.ts';

const table = 'arn:aws:dynamodb:eu-west-1:000000000000:table/Jobs';

function decision(
  statements: Json[],
  action: string,
  resource: string,
  context: RequestContext = {},
): string {
  const document = { Version: '2012-10-17', Statement: statements };
  return decide(parsePolicy(document, 'Policy'), { action, resource, context }).kind;
}

function allow(Action: Json, Resource: Json, more: Record<string, Json> = {}): Json {
  return { Effect: 'Allow', Action, Resource, ...more };
}

test.each([
  ['the same action and resource', 'dynamodb:PutItem', table, 'allowed'],
  ['actions without regard to case', 'dynamodb:putitem', table, 'allowed'],
  ['not another action', 'dynamodb:DeleteItem', table, 'unmatched'],
  ['not another resource', 'dynamodb:PutItem', `${table}2`, 'unmatched'],
])('%s', (_name, action, resource, expected) => {
  expect(decision([allow('dynamodb:PutItem', table)], action, resource)).toBe(expected);
});

test.each([
  ['dynamodb:*', '*', 'allowed'],
  ['*', '*', 'allowed'],
  ['dynamodb:Put*', `${table}/index/*`, 'unmatched'],
  ['dynamodb:???tem', 'arn:aws:dynamodb:*:*:table/J*', 'unmatched'],
  ['dynamodb:P*Item', 'arn:aws:dynamodb:*:*:table/J?bs', 'allowed'],
  ['dynamodb:???Item', 'arn:aws:dynamodb:*:*:table/J?bs', 'allowed'],
  ['s3:*', '*', 'unmatched'],
])('wildcards %s on %s', (action, resource, expected) => {
  expect(decision([allow(action, resource)], 'dynamodb:PutItem', table)).toBe(expected);
});

test('an explicit deny wins over every allow', () => {
  const deny = { Effect: 'Deny', Action: 'dynamodb:PutItem', Resource: table };
  expect(decision([allow('*', '*'), deny], 'dynamodb:PutItem', table)).toBe('denied');
});

test('NotAction and NotResource are everything else', () => {
  const but = { Effect: 'Allow', NotAction: 'iam:*', NotResource: `${table}2` };
  expect(decision([but], 'dynamodb:PutItem', table)).toBe('allowed');
  expect(decision([but], 'iam:PassRole', table)).toBe('unmatched');
  expect(decision([but], 'dynamodb:PutItem', `${table}2`)).toBe('unmatched');
});

describe('conditions', () => {
  const at = (day: string): RequestContext => ({ 'aws:currenttime': `${day}T00:00:00Z` });
  const leading = { 'dynamodb:leadingkeys': ['CELL#1', 'CELL#2'] };

  test.each<[string, string, Json, RequestContext, boolean]>([
    ['StringEquals', 'aws:a', 'x', { 'aws:a': 'x' }, true],
    ['StringEquals', 'aws:a', ['y', 'x'], { 'aws:a': 'x' }, true],
    ['StringEquals', 'aws:a', 'x', {}, false],
    ['StringEqualsIfExists', 'aws:a', 'x', {}, true],
    ['StringNotEquals', 'aws:a', ['x', 'y'], { 'aws:a': 'y' }, false],
    ['StringNotEquals', 'aws:a', ['x', 'y'], { 'aws:a': 'z' }, true],
    ['StringLike', 'aws:a', 'CELL#*', { 'aws:a': 'CELL#9' }, true],
    [
      'ArnLike',
      'aws:sourcearn',
      'arn:aws:iot:*:*:rule/x_*',
      { 'aws:sourcearn': 'arn:aws:iot:r:a:rule/x_1' },
      true,
    ],
    ['Bool', 'aws:SecureTransport', 'false', { 'aws:securetransport': 'true' }, false],
    ['Null', 'aws:a', 'true', {}, true],
    ['Null', 'aws:a', 'false', { 'aws:a': 'x' }, true],
    ['NumericLessThan', 's3:max-keys', '10', { 's3:max-keys': '9' }, true],
    ['IpAddress', 'aws:SourceIp', '10.0.0.0/8', { 'aws:sourceip': '10.1.2.3' }, true],
    ['IpAddress', 'aws:SourceIp', '10.0.0.1', { 'aws:sourceip': '10.0.0.2' }, false],
    ['NotIpAddress', 'aws:SourceIp', ['10.0.0.0/8', '::/0'], { 'aws:sourceip': '10.1.2.3' }, false],
    ['DateLessThanEquals', 'aws:CurrentTime', '2026-01-01T00:00:00Z', at('2026-01-01'), true],
    ['DateGreaterThanEquals', 'aws:CurrentTime', '1767225601', at('2026-01-01'), false],
    ['DateNotEquals', 'aws:CurrentTime', '2026-01-01', at('2026-01-02'), true],
    ['ForAllValues:StringLike', 'dynamodb:LeadingKeys', 'CELL#*', leading, true],
    ['ForAllValues:StringLike', 'dynamodb:LeadingKeys', 'CELL#1', leading, false],
    ['ForAllValues:StringLike', 'dynamodb:LeadingKeys', 'CELL#1', {}, true],
    ['ForAnyValue:StringEquals', 'dynamodb:LeadingKeys', 'CELL#1', leading, true],
    ['ForAnyValue:StringEquals', 'dynamodb:LeadingKeys', 'CELL#1', {}, false],
  ])('%s of %s with %j', (operator, key, value, context, passes) => {
    const Condition = { [operator]: { [key]: value } };
    const result = decision([allow('*', '*', { Condition })], 'a:B', table, context);
    expect(result).toBe(passes ? 'allowed' : 'unmatched');
  });

  test('with an unknown operator stop with their path', () => {
    const Condition = { IpNear: { 'aws:SourceIp': '10.0.0.0/8' } };
    expect(() => decision([allow('*', '*', { Condition })], 'a:B', table)).toThrow(
      /^Policy\.Statement\[0\]\.Condition\.IpNear: /,
    );
  });
});

describe('what AWS refuses in the policy of a role stops with its path', () => {
  const all = { Effect: 'Allow', Action: 'dynamodb:PutItem', Resource: '*' };
  const variable = ['$', '{aws:userid}'].join('');
  const { Action: _action, ...withoutAction } = all;
  const { Resource: _resource, ...withoutResource } = all;

  test.each<[Json, RegExp]>([
    [withoutAction, /should have Action or NotAction/],
    [{ ...all, NotAction: 'a:B' }, /should have Action or NotAction/],
    [withoutResource, /should have Resource or NotResource/],
    [{ ...all, NotResource: '*' }, /should have Resource or NotResource/],
    [{ ...all, Principal: '*' }, /Principal is for policies of resources/],
    [{ ...all, Action: 'dynamodb' }, /dynamodb should be service:Operation/],
    [{ ...all, Resource: 'Jobs' }, /Jobs should be an ARN/],
    [{ ...all, Resource: `arn:aws:s3:::b/${variable}/*` }, /policy variables/],
  ])('%j', (statement, sentence) => {
    const check = (): void => {
      const document = { Version: '2012-10-17', Statement: statement };
      for (const item of parsePolicy(document, 'Policy')) checkIdentityStatement(item);
    };
    expect(check).toThrow(sentence);
  });

  test('a version that does not exist', () => {
    const document = { Version: '2020-01-01', Statement: all };
    expect(() => parsePolicy(document, 'Policy')).toThrow(/^Policy\.Version should be 2012-10-17/);
  });
});
