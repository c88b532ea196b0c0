/**
 * Clients that AWS makes, each by the same calls against the gateway of a running local cloud. What
 * came of them is the table of `docs/local-cloud.md`, which has to say the same; after a change
 * EDGEWISE_WRITE_TABLE=1 writes it anew. A client whose tools are not on this machine is left out
 * with the reason, and keeps its column.
 */
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clientSettings } from '../../notes-clients.ts';
import { type NotesCloud, startNotes, type TemplateEdit } from '../../notes-cloud.ts';
import { type ClientName, clients, runMsMax } from './clients.ts';
import { type Row, readTable, rows, writeTable } from './table.ts';

let cloud: NotesCloud;
let environment: Readonly<Record<string, string>>;
const found = new Map<ClientName, ReadonlyMap<Row, string>>();
const missing = new Map<ClientName, string>();
const installMsMax = 480_000;

beforeAll(async () => {
  cloud = await startNotes({ edit: withEverythingAskedFor });
  const FunctionName = cloud.output('Probe');
  const Payload = Buffer.from('{"do":"calls"}');
  const lambda = new LambdaClient(clientSettings(cloud));
  await lambda.send(new InvokeCommand({ FunctionName, Payload }));
  lambda.destroy();
  environment = {
    AWS_ENDPOINT_URL: cloud.endpoints.aws,
    AWS_REGION: cloud.endpoints.region,
    AWS_DEFAULT_REGION: cloud.endpoints.region,
    AWS_ACCESS_KEY_ID: cloud.endpoints.credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: cloud.endpoints.credentials.secretAccessKey,
    AWS_MAX_ATTEMPTS: '1',
    STACK: 'Notes',
    TABLE: cloud.output('TableName'),
    STREAM: cloud.output('StreamArn'),
    BUCKET: cloud.output('BucketName'),
    FUNCTION: FunctionName,
    LOG_GROUP: `/aws/lambda/${FunctionName}`,
    ROLE: 'arn:aws:iam::000000000000:role/visitor',
    RULE: 'notes_published',
  };
});

afterAll(async () => {
  const isWhole = found.size + missing.size === clients.size;
  if (process.env['EDGEWISE_WRITE_TABLE'] === '1' && isWhole) writeTable(found, missing);
  await cloud.stop();
});

test.for([...clients.values()])(
  '$title',
  { timeout: installMsMax + runMsMax },
  async (client, { skip }) => {
    const why = await client.prepare(installMsMax);
    if (why !== undefined) missing.set(client.name, why);
    if (why !== undefined) return skip(why);
    const results = await client.run({ ...environment, CLIENT: client.name });
    const cells = new Map(rows.map((row) => [row, cellOf(results[row])]));
    found.set(client.name, cells);
    if (process.env['EDGEWISE_WRITE_TABLE'] === '1') return;
    expect([...cells]).toEqual([...readTable(client.name)]);
  },
);

const cellOf = (result: string | undefined): string =>
  result === 'works' ? 'yes' : `no: ${result ?? 'not called'}`;

const withEverythingAskedFor: TemplateEdit = (resources) => {
  const [replica] = resources['Table']!.Properties['Replicas'] as Record<string, unknown>[];
  replica!['DeletionProtectionEnabled'] = true;
  resources['Bucket']!.Properties['LifecycleConfiguration'] = {
    Rules: [{ ExpirationInDays: 30, Status: 'Enabled' }],
  };
  const role = (RoleName: string, Principal: object, statements: object[]) => ({
    Type: 'AWS::IAM::Role',
    Properties: {
      RoleName,
      AssumeRolePolicyDocument: {
        Version: '2012-10-17',
        Statement: [{ Effect: 'Allow', Principal, Action: 'sts:AssumeRole' }],
      },
      Policies: statements.map((Statement) => ({
        PolicyName: 'own',
        PolicyDocument: { Version: '2012-10-17', Statement },
      })),
    },
  });
  const queue = { 'Fn::GetAtt': ['Queue', 'Arn'] };
  const send = { Effect: 'Allow', Action: 'sqs:SendMessage', Resource: queue };
  const added = {
    Visitor: role('visitor', { AWS: 'arn:aws:iam::000000000000:root' }, []),
    RuleRole: role('rule', { Service: 'iot.amazonaws.com' }, [send]),
    Published: {
      Type: 'AWS::IoT::TopicRule',
      Properties: {
        RuleName: 'notes_published',
        TopicRulePayload: {
          Sql: "SELECT * FROM 'notes/published'",
          AwsIotSqlVersion: '2016-03-23',
          Actions: [
            { Sqs: { QueueUrl: { Ref: 'Queue' }, RoleArn: { 'Fn::GetAtt': ['RuleRole', 'Arn'] } } },
          ],
        },
      },
    },
  };
  Object.assign(resources, added);
};
