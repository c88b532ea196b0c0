import { afterAll, expect, test } from 'vitest';
import { edgeRules } from '../../lib/edge/edge-rules.ts';
import { removeOutputs, resourcesOf, synthesized } from './synthesized.ts';

/** What an edge may do on the broker, and how what it says comes in. */
afterAll(removeOutputs);
const { template } = synthesized();

const region = 'ap-southeast-2';
const account = '123456789012';
const policyCharactersMax = 2_048;

/** The policy as the broker gets it. */
function edgePolicy(): string {
  const [policy] = [...resourcesOf(template, 'AWS::IoT::Policy').values()];
  return JSON.stringify(policy?.Properties.PolicyDocument, (_, value) => {
    const joined = value?.['Fn::Join'];
    if (joined === undefined) return value;
    const names: Record<string, string> = {
      'AWS::Partition': 'aws',
      'AWS::Region': region,
      'AWS::AccountId': account,
    };
    return joined[1]
      .map((part: string | { Ref: string }) => (typeof part === 'string' ? part : names[part.Ref]))
      .join('');
  });
}

type Statement = { Action: string; Resource: string | string[]; Condition?: unknown };

const statements: readonly Statement[] = JSON.parse(edgePolicy()).Statement;
const root = `arn:aws:iot:${region}:${account}`;
// biome-ignore lint/suspicious/noTemplateCurlyInString: the broker fills it in
const thing = '${iot:Connection.Thing.ThingName}';

function resources(action: string): string[] {
  return statements.filter((it) => it.Action === action).flatMap((it) => it.Resource);
}

function allows(action: string, resource: string): boolean {
  return resources(action).some((pattern) => {
    const text = pattern.replaceAll(thing, 'edge-1').replace(/[.+^${}()|[\]\\]/g, '\\$&');
    return new RegExp(`^${text.replaceAll('*', '.*')}$`).test(resource);
  });
}

const topic = (kind: string, name: string, edge = 'edge-1') =>
  `${root}:${kind}/$aws/things/${edge}/shadow/name/${name}`;

test('an edge connects under its own name and with its own certificate only', () => {
  const connect = statements.find((it) => it.Action === 'iot:Connect');
  expect(connect?.Resource).toBe(`${root}:client/${thing}`);
  expect(connect?.Condition).toEqual({ Bool: { 'iot:Connection.Thing.IsAttached': 'true' } });
});

test('an edge reads its work and reports', () => {
  for (const name of ['work/get', 'prog/update', 'prog/get', 'facts/update']) {
    expect(allows('iot:Publish', topic('topic', name)), name).toBe(true);
  }
  const allowed = [
    'work/update/delta',
    'work/get/accepted',
    'work/get/rejected',
    'prog/update/accepted',
    'prog/update/rejected',
    'prog/get/accepted',
    'facts/update/rejected',
  ];
  for (const name of allowed) {
    expect(allows('iot:Subscribe', topic('topicfilter', name)), name).toBe(true);
    expect(allows('iot:Receive', topic('topic', name)), name).toBe(true);
  }
});

test('an edge cannot write its own work, delete a shadow, or use the API of shadows', () => {
  for (const name of [
    'work/update',
    'work/delete',
    'prog/delete',
    'facts/delete',
    'other/update',
  ]) {
    expect(allows('iot:Publish', topic('topic', name)), name).toBe(false);
  }
  const actions = statements.map((it) => it.Action).toSorted();
  expect(actions).toEqual(['iot:Connect', 'iot:Publish', 'iot:Receive', 'iot:Subscribe']);
});

test('an edge sees nothing of another edge, nor everything at once', () => {
  expect(allows('iot:Receive', topic('topic', 'work/update/delta', 'edge-2'))).toBe(false);
  expect(allows('iot:Subscribe', topic('topicfilter', 'work/update/delta', '+'))).toBe(false);
  expect(allows('iot:Subscribe', `${root}:topicfilter/#`)).toBe(false);
  expect(allows('iot:Publish', topic('topic', 'prog/update', 'edge-2'))).toBe(false);
});

test('the policy fits the broker, with the longest region', () => {
  expect(edgePolicy().length).toBeLessThanOrEqual(policyCharactersMax);
});

test('what an edge says goes to a queue, and what cannot goes to another', () => {
  const rules = [...resourcesOf(template, 'AWS::IoT::TopicRule').values()];
  expect(rules).toHaveLength(Object.keys(edgeRules).length);
  for (const { Properties } of rules) {
    const { Actions, ErrorAction, AwsIotSqlVersion } = Properties.TopicRulePayload as {
      Actions: { Sqs: { QueueUrl: unknown } }[];
      ErrorAction: { Sqs: { QueueUrl: unknown } };
      AwsIotSqlVersion: string;
    };
    expect(AwsIotSqlVersion).toBe('2016-03-23');
    expect(Actions).toHaveLength(1);
    expect(ErrorAction.Sqs.QueueUrl).not.toEqual(Actions[0]?.Sqs.QueueUrl);
  }
});

test('the name of an edge is taken from the topic, never from what it sent', () => {
  for (const { sql } of Object.values(edgeRules)) {
    expect(sql).toMatch(/topic\([35]\) AS edge/);
    expect(sql).not.toMatch(/clientId|state\.reported\.edge/);
  }
});

test('nothing of what the cloud writes itself triggers a rule', () => {
  const sources = Object.values(edgeRules).map(({ sql }) => /FROM '([^']+)'/.exec(sql)?.[1]);
  expect(sources).toEqual([
    '$aws/things/+/shadow/name/prog/update/accepted',
    '$aws/things/+/shadow/name/facts/update/accepted',
    '$aws/events/presence/connected/+',
    '$aws/events/presence/disconnected/+',
  ]);
});
