import { RemovalPolicy } from 'aws-cdk-lib';
import { afterAll, describe, expect, test } from 'vitest';
import { ownThings } from '../../lib/edge/edge-rules.ts';
import { makeStage } from '../../lib/frame/stage.ts';
import { removeOutputs, resourcesOf, synthesized } from './synthesized.ts';

afterAll(removeOutputs);

test('a name says which stack it is, and whether it is kept', () => {
  expect(makeStage('production')).toMatchObject({
    stackName: 'Edgewise',
    thingPrefix: '',
    deletionProtection: true,
    removalPolicy: RemovalPolicy.RETAIN,
  });
  expect(makeStage('prod')).toMatchObject({
    stackName: 'Edgewise-prod',
    thingPrefix: 'prod_',
    deletionProtection: true,
    removalPolicy: RemovalPolicy.RETAIN,
  });
  for (const name of ['trial', 'trial-ann', 'trial-2']) {
    expect(makeStage(name)).toMatchObject({
      stackName: `Edgewise-${name}`,
      deletionProtection: false,
      removalPolicy: RemovalPolicy.DESTROY,
    });
  }
  expect(makeStage('trials').deletionProtection).toBe(true);
});

test.each([undefined, '', 'x', 'Prod', 'a_b', 'prod-', '1st', 'seventeen-letters', 3])(
  'a stage called %s is refused with what it may be called',
  (name) => {
    expect(() => makeStage(name)).toThrow(/two to sixteen small letters, digits and dashes/);
  },
);

test('rules listen to the things of their own stage', () => {
  const isOwn = (name: string, thing: string) => new RegExp(ownThings(makeStage(name))).test(thing);
  expect(isOwn('production', 'edge-10')).toBe(true);
  expect(isOwn('production', 'trial_edge-10')).toBe(false);
  expect(isOwn('trial', 'trial_edge-10')).toBe(true);
  for (const thing of ['edge-10', 'trial-2_edge-10', 'my-trial_edge-10']) {
    expect(isOwn('trial', thing), thing).toBe(false);
  }
});

describe('two stages beside each other', () => {
  const [first, second] = [synthesized('prod'), synthesized('trial')];

  test('are two stacks, whose resources share no name', () => {
    expect(first.stack.stackName).not.toBe(second.stack.stackName);
    const given = namesIn(first.template.toJSON());
    expect(given.size).toBe(5);
    for (const name of namesIn(second.template.toJSON())) {
      expect(given.has(name), name).toBe(false);
    }
  });

  test('count into namespaces of their own, and their functions know it', () => {
    const alarms = [...resourcesOf(second.template, 'AWS::CloudWatch::Alarm').values()];
    const own = alarms.filter(({ Properties }) => Properties.MetricName === 'MassLoss');
    expect(own).toMatchObject([{ Properties: { Namespace: 'Edgewise-trial' } }]);
    for (const { Properties } of resourcesOf(second.template, 'AWS::Lambda::Function').values()) {
      expect(Properties.Environment).toMatchObject({
        Variables: { METRICS_NAMESPACE: 'Edgewise-trial', THING_PREFIX: 'trial_' },
      });
    }
  });

  test('touch only things of their own', () => {
    const policies = [...resourcesOf(second.template, 'AWS::IAM::Policy').values()];
    const things = policies.flatMap(
      ({ Properties }) => JSON.stringify(Properties).match(/:thing\/[^"]*/g) ?? [],
    );
    expect(things.length).toBeGreaterThan(3);
    for (const thing of things) expect(thing).toMatch(/^:thing\/trial_\*/);
  });
});

type Template = { Resources: Record<string, { Type: string; Properties?: unknown }> };

/**
 * What a template calls things itself; the rest is named by CloudFormation after the stack, or only
 * has to be unlike others of the same role or API.
 */
function namesIn({ Resources }: Partial<Template>): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { Type, Properties } of Object.values(Resources ?? {})) {
    if (!/^AWS::(CloudFront::(?!Distribution)|ApiGatewayV2::Api)/.test(Type)) continue;
    const [name] = /"Name":("[^"]*"|\{.*?\]\]\})/.exec(JSON.stringify(Properties)) ?? [];
    if (name !== undefined) found.add(`${Type} ${name}`);
  }
  return found;
}
