/** The calls of the table with the AWS SDK for JavaScript. */
import { ApiGatewayV2Client, GetApisCommand } from '@aws-sdk/client-apigatewayv2';
import {
  CloudFormationClient,
  DescribeStacksCommand,
  ListExportsCommand,
  ListStackResourcesCommand,
} from '@aws-sdk/client-cloudformation';
import { CloudWatchClient, ListMetricsCommand } from '@aws-sdk/client-cloudwatch';
import {
  CloudWatchLogsClient,
  DescribeMetricFiltersCommand,
  FilterLogEventsCommand,
} from '@aws-sdk/client-cloudwatch-logs';
import { DescribeTableCommand, DynamoDBClient, ListBackupsCommand } from '@aws-sdk/client-dynamodb';
import {
  CreateKeysAndCertificateCommand,
  CreatePolicyCommand,
  IoTClient,
  ListTopicRulesCommand,
} from '@aws-sdk/client-iot';
import {
  GetFunctionCommand,
  LambdaClient,
  ListEventSourceMappingsCommand,
  ListFunctionsCommand,
  ListLayersCommand,
} from '@aws-sdk/client-lambda';
import {
  GetBucketLifecycleConfigurationCommand,
  GetBucketTaggingCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { AssumeRoleCommand, GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';

type Environment = Readonly<Record<string, string>>;
type Calls = Readonly<Record<string, () => Promise<boolean>>>;

export async function javascriptCalls(environment: Environment): Promise<Record<string, string>> {
  const settings = settingsOf(environment);
  const calls: Calls = {
    ...stackCalls(environment, settings),
    ...deviceCalls(environment, settings),
    ...storeCalls(environment, settings),
    ...refusals(environment, settings),
  };
  const results: Record<string, string> = {};
  for (const [name, call] of Object.entries(calls)) {
    results[name] = await call().then(
      (holds) => (holds ? 'works' : 'another answer than expected'),
      (error: unknown) => String(error),
    );
  }
  return results;
}

type Settings = ReturnType<typeof settingsOf>;

const settingsOf = (environment: Environment) => ({
  endpoint: environment['AWS_ENDPOINT_URL'] ?? '',
  region: environment['AWS_REGION'] ?? '',
  maxAttempts: 1,
  credentials: {
    accessKeyId: environment['AWS_ACCESS_KEY_ID'] ?? '',
    secretAccessKey: environment['AWS_SECRET_ACCESS_KEY'] ?? '',
  },
});

async function isRefused(call: Promise<unknown>, words: string): Promise<boolean> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (String(error).includes(words)) return true;
  throw error;
}

function stackCalls({ STACK, TABLE, FUNCTION, STREAM, LOG_GROUP }: Environment, own: Settings) {
  const stacks = new CloudFormationClient(own);
  const functions = new LambdaClient(own);
  const logs = new CloudWatchLogsClient(own);
  return {
    'CloudFormation DescribeStacks': async () => {
      const { Stacks } = await stacks.send(new DescribeStacksCommand({ StackName: STACK }));
      const output = Stacks?.[0]?.Outputs?.find(({ OutputKey }) => OutputKey === 'TableName');
      return output?.OutputValue === TABLE && Stacks?.[0]?.CreationTime instanceof Date;
    },
    'CloudFormation ListStackResources': async () => {
      const list = await stacks.send(new ListStackResourcesCommand({ StackName: STACK }));
      return list.StackResourceSummaries?.some((one) => one.PhysicalResourceId === TABLE) ?? false;
    },
    'Lambda ListFunctions': async () => {
      const { Functions } = await functions.send(new ListFunctionsCommand({}));
      return Functions?.some(({ FunctionName }) => FunctionName === FUNCTION) ?? false;
    },
    'Lambda GetFunction': async () => {
      const get = new GetFunctionCommand({ FunctionName: FUNCTION });
      const { Configuration } = await functions.send(get);
      return Configuration?.FunctionName === FUNCTION && Number(Configuration?.Timeout) > 0;
    },
    'Lambda ListEventSourceMappings': async () => {
      const list = new ListEventSourceMappingsCommand({ EventSourceArn: STREAM });
      const { EventSourceMappings = [] } = await functions.send(list);
      const [only] = EventSourceMappings;
      const isDated = only?.LastModified instanceof Date;
      return EventSourceMappings.length === 1 && only?.State === 'Enabled' && isDated;
    },
    'CloudWatch Logs FilterLogEvents': async () => {
      const filter = { logGroupName: LOG_GROUP, filterPattern: '"START RequestId"' };
      const { events } = await logs.send(new FilterLogEventsCommand(filter));
      const [first] = events ?? [];
      return /^START RequestId/.test(first?.message ?? '') && Number(first?.timestamp) > 0;
    },
    'API Gateway v2 GetApis': async () => {
      const { Items = [] } = await new ApiGatewayV2Client(own).send(new GetApisCommand({}));
      return Items.length === 1 && Items[0]?.ProtocolType === 'HTTP';
    },
  } satisfies Calls;
}

function deviceCalls({ RULE, CLIENT = '', ROLE }: Environment, own: Settings) {
  const things = new IoTClient(own);
  const tokens = new STSClient(own);
  return {
    'IoT ListTopicRules': async () => {
      const { rules = [] } = await things.send(new ListTopicRulesCommand({}));
      return rules.length === 1 && rules[0]?.ruleName === RULE;
    },
    'IoT CreatePolicy': async () => {
      const policyDocument = JSON.stringify({
        Version: '2012-10-17',
        Statement: [{ Effect: 'Allow', Action: 'iot:Connect', Resource: '*' }],
      });
      const create = new CreatePolicyCommand({ policyName: CLIENT, policyDocument });
      const { policyArn } = await things.send(create);
      return policyArn?.endsWith(`policy/${CLIENT}`) ?? false;
    },
    'IoT CreateKeysAndCertificate': async () => {
      const create = new CreateKeysAndCertificateCommand({ setAsActive: true });
      const { certificatePem, keyPair } = await things.send(create);
      const isKey = keyPair?.PrivateKey?.startsWith('-----BEGIN RSA PRIVATE KEY') ?? false;
      return isKey && (certificatePem?.startsWith('-----BEGIN CERTIFICATE') ?? false);
    },
    'STS GetCallerIdentity': async () =>
      (await tokens.send(new GetCallerIdentityCommand({}))).Arn?.endsWith(':root') ?? false,
    'STS AssumeRole': async () => {
      const assume = new AssumeRoleCommand({ RoleArn: ROLE, RoleSessionName: CLIENT });
      const { Credentials } = await tokens.send(assume);
      const credentials = {
        accessKeyId: Credentials?.AccessKeyId ?? '',
        secretAccessKey: Credentials?.SecretAccessKey ?? '',
        sessionToken: Credentials?.SessionToken ?? '',
      };
      const session = new STSClient({ ...own, credentials });
      const { Arn } = await session.send(new GetCallerIdentityCommand({}));
      return Arn?.endsWith(`/${CLIENT}`) ?? false;
    },
  } satisfies Calls;
}

function storeCalls({ TABLE, BUCKET, CLIENT }: Environment, own: Settings) {
  const buckets = new S3Client({ ...own, forcePathStyle: true });
  return {
    'DynamoDB DescribeTable': async () => {
      const describe = new DescribeTableCommand({ TableName: TABLE });
      const { Table } = await new DynamoDBClient(own).send(describe);
      return Table?.DeletionProtectionEnabled === true;
    },
    'S3 GetBucketLifecycleConfiguration': async () => {
      const get = new GetBucketLifecycleConfigurationCommand({ Bucket: BUCKET });
      const { Rules = [] } = await buckets.send(get);
      return Rules.length === 1 && Rules[0]?.Expiration?.Days === 30;
    },
    'S3 PutObject If-None-Match': async () => {
      const object = { Bucket: BUCKET, Key: CLIENT, Body: 'text', IfNoneMatch: '*' };
      await buckets.send(new PutObjectCommand(object));
      return isRefused(buckets.send(new PutObjectCommand(object)), 'PreconditionFailed');
    },
  } satisfies Calls;
}

function refusals({ BUCKET }: Environment, own: Settings) {
  const buckets = new S3Client({ ...own, forcePathStyle: true });
  return {
    'an operation that is not there': async () => {
      const calls = [
        new LambdaClient(own).send(new ListLayersCommand({})),
        new CloudFormationClient(own).send(new ListExportsCommand({})),
        new CloudWatchLogsClient(own).send(new DescribeMetricFiltersCommand({})),
        new DynamoDBClient(own).send(new ListBackupsCommand({})),
        buckets.send(new GetBucketTaggingCommand({ Bucket: BUCKET })),
      ];
      const words = 'The local cloud runs the service';
      const refused = await Promise.all(calls.map((call) => isRefused(call, words)));
      return refused.every(Boolean);
    },
    'a service that is not there': () => {
      const words = 'The local cloud does not run the service monitoring';
      return isRefused(new CloudWatchClient(own).send(new ListMetricsCommand({})), words);
    },
  } satisfies Calls;
}
