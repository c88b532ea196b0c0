import { Match } from 'aws-cdk-lib/assertions';
import { afterAll, describe, expect, test } from 'vitest';
import { EdgewiseFunction } from '../../lib/frame/edgewise-function.ts';
import { removeOutputs, resourcesOf, synthesized, synthesizedAnew } from './synthesized.ts';

afterAll(removeOutputs);
const { stack, template } = synthesized();

describe('the stack', () => {
  test('names what the outside relies on', () => {
    for (const name of ['ApiUrl', 'AdminToken', 'TableName']) template.hasOutput(name, {});
    template.hasParameter('EdgeTrustAnchor', {
      Description: Match.stringLikeRegexp('PEM of the certificate authority'),
      Default: Match.stringLikeRegexp('^-----BEGIN CERTIFICATE-----'),
    });
  });

  test('keeps the names of what holds state', () => {
    const holders = {
      'AWS::DynamoDB::GlobalTable': ['Table'],
      'AWS::SecretsManager::Secret': ['AdminTokenSecret'],
      'AWS::S3::Bucket': ['DashboardFiles', 'Outputs'],
    };
    for (const [type, ids] of Object.entries(holders)) {
      expect([...resourcesOf(template, type).keys()].toSorted()).toEqual(ids);
    }
  });

  test('answers whatever no route takes, the root too, with a function of its own', () => {
    const routes = [...resourcesOf(template, 'AWS::ApiGatewayV2::Route').values()];
    const rest = routes.filter(({ Properties }) => Properties.RouteKey === '$default');
    expect(rest).toMatchObject([{ Properties: { AuthorizationType: 'NONE' } }]);
  });

  test('limits the routes that cost most', () => {
    const [stage] = [...resourcesOf(template, 'AWS::ApiGatewayV2::Stage').values()];
    expect(Object.keys(stage?.Properties.RouteSettings ?? {})).toHaveLength(4);
  });

  test('has no custom resource and nothing that only a container could build', () => {
    const types = Object.values(template.toJSON().Resources as Record<string, { Type: string }>);
    expect(types.filter(({ Type }) => /^Custom::|CustomResource/.test(Type))).toEqual([]);
    for (const { Properties } of resourcesOf(template, 'AWS::Lambda::Function').values()) {
      expect(Properties.PackageType ?? 'Zip').toBe('Zip');
    }
  });

  test('keeps data in production and nothing in a trial', () => {
    template.hasResource('AWS::DynamoDB::GlobalTable', { DeletionPolicy: 'Retain' });
    const trial = synthesized('trial').template;
    trial.hasResource('AWS::DynamoDB::GlobalTable', { DeletionPolicy: 'Delete' });
    trial.allResources('AWS::Logs::LogGroup', { DeletionPolicy: 'Delete' });
  });
});

describe('the table', () => {
  test('is on demand, streamed, recoverable, expiring, with one sparse index', () => {
    template.hasResourceProperties('AWS::DynamoDB::GlobalTable', {
      BillingMode: 'PAY_PER_REQUEST',
      StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
      TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
      Replicas: [
        Match.objectLike({
          PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
          DeletionProtectionEnabled: true,
        }),
      ],
      GlobalSecondaryIndexes: [
        {
          IndexName: 'list',
          KeySchema: [
            { AttributeName: 'listPk', KeyType: 'HASH' },
            { AttributeName: 'listSk', KeyType: 'RANGE' },
          ],
          Projection: {
            ProjectionType: 'INCLUDE',
            NonKeyAttributes: ['state', 'queue', 'labels', 'name'],
          },
        },
      ],
    });
  });
});

describe('each function', () => {
  const functions = resourcesOf(template, 'AWS::Lambda::Function');

  test('runs on the newest Node on arm64', () => {
    for (const { Properties } of functions.values()) {
      expect(Properties).toMatchObject({ Runtime: 'nodejs24.x', Architectures: ['arm64'] });
    }
  });

  test('has a role of its own without policies of others', () => {
    const roles = [...functions.values()].map(({ Properties }) => JSON.stringify(Properties.Role));
    expect(new Set(roles).size).toBe(functions.size);
    for (const { Properties } of resourcesOf(template, 'AWS::IAM::Role').values()) {
      expect(Properties.ManagedPolicyArns).toBeUndefined();
    }
  });

  test('logs into a group that ends', () => {
    const groups = resourcesOf(template, 'AWS::Logs::LogGroup');
    for (const { Properties } of functions.values()) {
      const { LogGroup } = Properties.LoggingConfig as { LogGroup: { Ref: string } };
      expect(groups.get(LogGroup.Ref)?.Properties.RetentionInDays).toBe(30);
    }
  });

  test('is alarmed, or says why not', () => {
    const wrapped = stack.node.findAll().filter((it) => it instanceof EdgewiseFunction);
    expect(wrapped).toHaveLength(functions.size);
    const alarms = [...resourcesOf(template, 'AWS::CloudWatch::Alarm').values()];
    for (const fn of wrapped) {
      if (fn.alarm !== 'errors') {
        expect(fn.alarm.none.length).toBeGreaterThan(20);
        continue;
      }
      const name = stack.getLogicalId(fn.lambda.node.defaultChild as never);
      const own = alarms.filter(({ Properties }) => {
        const { MetricName, Dimensions } = Properties;
        return MetricName === 'Errors' && JSON.stringify(Dimensions).includes(`"${name}"`);
      });
      expect(own, fn.node.path).toHaveLength(1);
    }
  });

  test('may act on everything only where the service knows nothing narrower', () => {
    const wide = new Set<string>();
    for (const { Properties } of resourcesOf(template, 'AWS::IAM::Policy').values()) {
      const { Statement } = Properties.PolicyDocument as {
        Statement: { Action: string | string[]; Resource: unknown }[];
      };
      for (const { Action, Resource } of Statement) {
        if (JSON.stringify([Action]).includes('*')) wide.add(`action ${Action}`);
        if (Resource === '*') for (const action of [Action].flat()) wide.add(action);
      }
    }
    expect([...wide].toSorted()).toEqual([
      'iot:AttachThingPrincipal',
      'iot:CreateCertificateFromCsr',
      'iot:DescribeEndpoint',
      'iot:DetachThingPrincipal',
    ]);
  });
});

describe('alarms', () => {
  test('notify a topic when one is named', () => {
    const arn = 'arn:aws:sns:us-east-1:123456789012:on-call';
    const notified = synthesized('production', arn).template;
    notified.allResourcesProperties('AWS::CloudWatch::Alarm', { AlarmActions: [arn] });
    template.allResourcesProperties('AWS::CloudWatch::Alarm', { AlarmActions: Match.absent() });
  });

  test('say what they mean', () => {
    for (const { Properties } of resourcesOf(template, 'AWS::CloudWatch::Alarm').values()) {
      expect(String(Properties.AlarmDescription).length).toBeGreaterThan(30);
    }
  });

  test('watch the age of both readers of the stream and every last resort', () => {
    const metrics = [...resourcesOf(template, 'AWS::CloudWatch::Alarm').values()].map(
      ({ Properties }) => Properties.MetricName,
    );
    expect(metrics.filter((name) => name === 'IteratorAge')).toHaveLength(2);
    const queues = [...resourcesOf(template, 'AWS::SQS::Queue').values()];
    const lastResorts = queues.filter(({ Properties }) => Properties.RedrivePolicy === undefined);
    expect(metrics.filter((name) => name === 'ApproximateNumberOfMessagesVisible')).toHaveLength(
      lastResorts.length,
    );
  });
});

test('two synthesizes of one source are one template', () => {
  const { stack: again, template: second } = synthesizedAnew();
  expect(again).not.toBe(stack);
  expect(second.toJSON()).toEqual(template.toJSON());
});
