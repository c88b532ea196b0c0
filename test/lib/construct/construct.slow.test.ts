import { readFileSync } from 'node:fs';
import { App, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { afterAll, describe, expect, test } from 'vitest';
import { Edgewise, type EdgewiseProps } from '../../../lib/edgewise.ts';
import {
  noCode,
  outputDirectory,
  removeOutputs,
  resourcesOf,
  synthesized,
} from '../synthesized.ts';

/** Edgewise as a construct in stacks that are not ours. */
afterAll(removeOutputs);

function stackOf(add: (stack: Stack) => void): Template {
  const { context } = JSON.parse(readFileSync('cdk.json', 'utf8'));
  const app = new App({ analyticsReporting: false, outdir: outputDirectory(), context });
  const stack = new Stack(app, 'Plant');
  add(stack);
  return Template.fromStack(stack);
}

const one = (props: EdgewiseProps = {}, id = 'Fleet') =>
  stackOf((stack) => new Edgewise(stack, id, { functionCode: noCode, ...props }));

/** Types and how many there are of each. */
function census(template: Template): Record<string, number> {
  const found: Record<string, number> = {};
  const { Resources } = template.toJSON() as { Resources: Record<string, { Type: string }> };
  for (const { Type } of Object.values(Resources)) found[Type] = (found[Type] ?? 0) + 1;
  return found;
}

describe('in a stack of somebody else', () => {
  const template = one();

  test('it is what this repository deploys', () => {
    // But for what is there only where its parameter says so.
    const ours = census(synthesized('fleet').template);
    for (const type of ['DomainName', 'ApiMapping']) delete ours[`AWS::ApiGatewayV2::${type}`];
    expect(census(template)).toEqual(ours);
  });

  test('everything that holds state is named after it', () => {
    for (const [type, ids] of Object.entries({
      'AWS::DynamoDB::GlobalTable': ['FleetTable'],
      'AWS::SecretsManager::Secret': ['FleetAdminTokenSecret'],
      'AWS::S3::Bucket': ['FleetDashboardFiles', 'FleetOutputs'],
    })) {
      expect([...resourcesOf(template, type).keys()].toSorted()).toEqual(ids);
    }
    const outputs = Object.keys(template.toJSON().Outputs).toSorted();
    expect(outputs).toEqual([
      ...['FleetAdminToken', 'FleetApiUrl', 'FleetDashboardBucket', 'FleetDashboardUrl'],
      ...['FleetEventBusName', 'FleetEventStreamUrl', 'FleetTableName'],
    ]);
  });

  test('it is a stage of the name of the construct, and is kept', () => {
    const [fn] = resourcesOf(template, 'AWS::Lambda::Function').values();
    expect(fn?.Properties.Environment).toMatchObject({ Variables: { THING_PREFIX: 'fleet_' } });
    template.hasResource('AWS::DynamoDB::GlobalTable', { DeletionPolicy: 'Retain' });
  });

  test('no parameter or condition comes with it', () => {
    const { Parameters, Conditions } = template.toJSON();
    expect(Object.keys(Parameters).filter((name) => name !== 'BootstrapVersion')).toEqual([]);
    expect(Conditions).toBeUndefined();
    const [api] = resourcesOf(template, 'AWS::ApiGatewayV2::Api').values();
    expect(api?.Properties.CorsConfiguration).toBeUndefined();
  });
});

test('what an app says is so', () => {
  const template = stackOf((stack) => {
    const alarmsTo = new Topic(stack, 'OnCall');
    const removalPolicy = RemovalPolicy.DESTROY;
    const dashboardOrigin = 'https://pages.example.com';
    const given = { stage: 'plant-1', alarmsTo, removalPolicy, dashboardOrigin };
    new Edgewise(stack, 'Fleet', { ...given, functionCode: noCode });
  });
  const [topic] = resourcesOf(template, 'AWS::SNS::Topic').keys();
  template.allResourcesProperties('AWS::CloudWatch::Alarm', { AlarmActions: [{ Ref: topic }] });
  template.allResources('AWS::DynamoDB::GlobalTable', { DeletionPolicy: 'Delete' });
  const [fn] = resourcesOf(template, 'AWS::Lambda::Function').values();
  expect(fn?.Properties.Environment).toMatchObject({ Variables: { THING_PREFIX: 'plant-1_' } });
  const [api] = resourcesOf(template, 'AWS::ApiGatewayV2::Api').values();
  expect(JSON.stringify(api?.Properties.CorsConfiguration)).toContain('pages.example.com');
});

test('people sign in where an app says so, and the page may ask that issuer alone', () => {
  const issuer = 'https://login.example.com/realm';
  const groups = { operators: ['jobs:read', 'jobs:write'], admins: ['fleet:admin'] };
  const template = one({ signIn: { issuer, clientId: 'edgewise', groups } });
  const functions = [...resourcesOf(template, 'AWS::Lambda::Function').values()].filter(
    ({ Properties }) => JSON.stringify(Properties.Environment).includes('SIGN_IN_ISSUER'),
  );
  // The authorizer, and those with an address that it does not stand before.
  expect(functions).toHaveLength(3);
  expect(functions[0]?.Properties.Environment).toMatchObject({
    Variables: {
      SIGN_IN_ISSUER: issuer,
      SIGN_IN_CLIENT: 'edgewise',
      SIGN_IN_GROUPS: 'operators=jobs:read,jobs:write;admins=fleet:admin',
    },
  });
  const headers = JSON.stringify(template.findResources('AWS::CloudFront::ResponseHeadersPolicy'));
  const stream = '\\{"Fn::GetAtt":\\["\\w+","FunctionUrl"\\]\\}';
  expect(headers).toMatch(
    new RegExp(`connect-src 'self' ",${stream}," https://login\\.example\\.com;`),
  );
});

const ownName = (name: string) => ({
  name,
  certificateArn: `arn:aws:acm:us-east-1:123456789012:certificate/${'0'.repeat(8)}`,
});

describe('names of one’s own', () => {
  test('are there without a condition where an app knows them', () => {
    const template = one({ apiName: ownName('a.test'), dashboardName: ownName('d.test') });
    template.hasResourceProperties('AWS::ApiGatewayV2::DomainName', { DomainName: 'a.test' });
    template.resourceCountIs('AWS::ApiGatewayV2::ApiMapping', 1);
    template.hasResourceProperties('AWS::CloudFront::Distribution', {
      DistributionConfig: {
        Aliases: ['d.test'],
        ViewerCertificate: { SslSupportMethod: 'sni-only' },
      },
    });
    template.hasOutput('FleetApiDomainTarget', {});
    expect(template.toJSON().Conditions).toBeUndefined();
  });

  test('are parameters of the stack of this repository, empty at first', () => {
    const { template } = synthesized('fleet');
    const [domain] = Object.values(template.findResources('AWS::ApiGatewayV2::DomainName'));
    expect(template.toJSON().Conditions[domain?.Condition]).toEqual({
      'Fn::Not': [{ 'Fn::Equals': [{ Ref: 'ApiDomain' }, ''] }],
    });
    for (const name of ['ApiDomain', 'ApiCertificate', 'DashboardDomain', 'DashboardCertificate']) {
      template.hasParameter(name, { Default: '' });
    }
  });
});

test('what an app calls its own resources is its own affair', () => {
  const template = stackOf((stack) => {
    new Topic(stack, 'Table');
    new Topic(stack, 'Outputs');
    new Edgewise(stack, 'Fleet', { functionCode: noCode });
  });
  template.resourceCountIs('AWS::SNS::Topic', 2);
});

test('an id that is no name of a stage needs one', () => {
  expect(() => one({}, 'My_Fleet')).toThrow(/two to sixteen small letters/);
  expect(() => one({ stage: 'mine' }, 'My_Fleet')).not.toThrow();
});
