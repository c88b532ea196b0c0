import { ofType, type Resources, referred, rendered, within } from './resources.ts';

/** What may be so large, so long or so many, and no more. */

const inlineBytesMax = 10_240;
const managedBytesMax = 6_144;
const iotPolicyBytesMax = 2_048;

/**
 * IAM counts all inline policies of a role together, without white space; a managed policy by
 * itself (IAM, "IAM and AWS STS quotas"). A policy of IoT Core is shorter than both ("AWS IoT Core
 * endpoints and quotas": policy document size).
 */
export function policiesFit(resources: Resources): string[] {
  const bytesOf = (document: unknown) => JSON.stringify(rendered(document) ?? '').length;
  const inline = new Map<string, number>();
  for (const [, { Properties }] of ofType(resources, 'AWS::IAM::Policy')) {
    for (const role of [Properties?.Roles ?? []].flat()) {
      const name = referred(role) ?? String(role);
      const bytes = bytesOf(Properties?.PolicyDocument);
      inline.set(name, (inline.get(name) ?? 0) + bytes);
    }
  }
  const single = (type: string, bytesMax: number): string[] =>
    ofType(resources, type)
      .map(([id, it]) => ({ id, bytes: bytesOf(it.Properties?.PolicyDocument) }))
      .filter(({ bytes }) => bytes > bytesMax)
      .map(({ id, bytes }) => `${id} has ${bytes} bytes, ${bytesMax} are allowed`);
  return [
    ...[...inline]
      .filter(([, bytes]) => bytes > inlineBytesMax)
      .map(
        ([id, bytes]) => `the policies of ${id} have ${bytes} bytes, ${inlineBytesMax} are allowed`,
      ),
    ...single('AWS::IAM::ManagedPolicy', managedBytesMax),
    ...single('AWS::IoT::Policy', iotPolicyBytesMax),
  ];
}

const functionPolicyBytesMax = 20_480;

/**
 * Who may invoke a function is one policy of that function, to which each permission adds a
 * statement, and CDK makes a permission for each route: "The final policy size (20937) is bigger
 * than the limit (20480)" at about thirty routes of one function (aws/aws-cdk#19535).
 */
export function functionPoliciesFit(resources: Resources): string[] {
  const bytes = new Map<string, number>();
  for (const [id, { Properties = {} }] of ofType(resources, 'AWS::Lambda::Permission')) {
    const fn = referred(Properties.FunctionName) ?? String(Properties.FunctionName);
    bytes.set(fn, (bytes.get(fn) ?? 0) + JSON.stringify(statementOf(id, Properties)).length);
  }
  return [...bytes]
    .filter(([, size]) => size > functionPolicyBytesMax)
    .map(([fn, size]) => `${fn} may be invoked by ${size} bytes, ${functionPolicyBytesMax} fit`);
}

/** As Lambda writes it, under a stack with the longest name of a stage. */
function statementOf(id: string, of: Readonly<Record<string, unknown>>): object {
  return {
    Sid: `Edgewise-${'x'.repeat(16)}-${id}-${'X'.repeat(12)}`,
    Effect: 'Allow',
    Principal: { Service: rendered(of.Principal) },
    Action: of.Action,
    Resource: rendered(of.FunctionName),
    Condition: { ArnLike: { 'AWS:SourceArn': rendered(of.SourceArn) } },
  };
}

const environmentBytesMax = 4_096;

/**
 * All variables of a function together ("Lambda quotas": environment variables): "Lambda was unable
 * to configure your environment variables because the environment variables you have provided
 * exceeded the 4KB limit". What only a deployment knows counts as much as a name that it makes.
 */
export function environmentsFit(resources: Resources): string[] {
  return ofType(resources, 'AWS::Lambda::Function').flatMap(([id, { Properties }]) => {
    const variables = rendered(within(Properties, 'Environment', 'Variables')) ?? {};
    const bytes = JSON.stringify(variables).length;
    if (bytes <= environmentBytesMax) return [];
    return [`${id} has variables of ${bytes} bytes, ${environmentBytesMax} are allowed`];
  });
}

/** Where a type has its name, and how long that may be, as its reference page says. */
const names: Readonly<Record<string, readonly [path: readonly string[], max: number]>> = {
  'AWS::CloudFront::Function': [['Name'], 64],
  'AWS::CloudFront::OriginAccessControl': [['OriginAccessControlConfig', 'Name'], 64],
  'AWS::CloudFront::ResponseHeadersPolicy': [['ResponseHeadersPolicyConfig', 'Name'], 128],
  'AWS::ApiGatewayV2::Api': [['Name'], 128],
  'AWS::IAM::Role': [['RoleName'], 64],
  'AWS::IAM::Policy': [['PolicyName'], 128],
  'AWS::Lambda::Function': [['FunctionName'], 64],
  'AWS::Scheduler::Schedule': [['Name'], 64],
  'AWS::SQS::Queue': [['QueueName'], 80],
};

export function namesFit(resources: Resources): string[] {
  return Object.entries(resources).flatMap(([id, { Type, Properties }]) => {
    const [path, max] = names[Type] ?? [['Name'], Number.POSITIVE_INFINITY];
    const name = rendered(within(Properties, ...path));
    if (typeof name !== 'string' || name.length <= max) return [];
    return [`${id} is called ${name}: ${name.length} characters, ${max} are allowed`];
  });
}

const resourcesMax = 500;
const routesMax = 300;

/**
 * CloudFormation takes 500 resources ("Understand CloudFormation quotas"), an HTTP API 300 routes
 * ("Quotas for configuring and running an HTTP API").
 */
export function countsFit(resources: Resources): string[] {
  const count = Object.keys(resources).length;
  const routes = new Map<string, number>();
  for (const [, { Properties }] of ofType(resources, 'AWS::ApiGatewayV2::Route')) {
    const api = referred(Properties?.ApiId) ?? String(Properties?.ApiId);
    routes.set(api, (routes.get(api) ?? 0) + 1);
  }
  return [
    ...(count > resourcesMax ? [`${count} resources, ${resourcesMax} are allowed`] : []),
    ...[...routes]
      .filter(([, many]) => many > routesMax)
      .map(([api, many]) => `${api} has ${many} routes, ${routesMax} are allowed`),
  ];
}
