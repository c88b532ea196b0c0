/**
 * The gateway with the official SDK: every service, permissions of functions, unknown operations.
 */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  DescribeTableCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { GetQueueUrlCommand, SQSClient } from '@aws-sdk/client-sqs';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientSettings, type NotesClients, notesClients } from '../../notes-clients.ts';
import { type NotesCloud, startNotes } from '../../notes-cloud.ts';
import { shardsOf } from '../../stream-reader.ts';
import { temporaryDir } from '../../temporary-dir.ts';

let cloud: NotesCloud;
let clients: NotesClients;

beforeAll(async () => {
  cloud = await startNotes();
  clients = notesClients(cloud);
});

afterAll(async () => {
  clients.close();
  await cloud.stop();
});

function settings() {
  return clientSettings(cloud);
}

describe('a developer', () => {
  test('is the account itself', async () => {
    const identity = await new STSClient(settings()).send(new GetCallerIdentityCommand({}));
    expect(identity).toMatchObject({
      Account: '000000000000',
      Arn: 'arn:aws:iam::000000000000:root',
    });
  });

  test('describes tables under the ARNs of the template', async () => {
    const TableName = cloud.output('TableName');
    const { Table } = await clients.database.send(new DescribeTableCommand({ TableName }));
    expect(Table?.TableArn).toBe(`arn:aws:dynamodb:eu-west-1:000000000000:table/${TableName}`);
    expect(Table?.LatestStreamArn).toBe(cloud.output('StreamArn'));
  });

  test('sees what was called and invoked since the start', async () => {
    const look = async () =>
      (await (await fetch(`${cloud.endpoints.aws}/_local/calls`)).json()) as {
        calls: Record<string, number>;
        functions: Record<string, { invocations: number }>;
      };
    const before = (await look()).calls['dynamodb GetItem'] ?? 0;
    const TableName = cloud.output('TableName');
    const Key = { PK: { S: 'NOBODY' }, SK: { S: '1' } };
    await clients.database.send(new GetItemCommand({ TableName, Key }));
    const { calls, functions } = await look();
    expect(calls['dynamodb GetItem']).toBe(before + 1);
    expect(Object.keys(functions).length).toBeGreaterThan(0);
  });

  test('reads a stream', async () => {
    const TableName = cloud.output('TableName');
    const Item = { PK: { S: 'STREAM' }, SK: { S: '1' } };
    await clients.database.send(new PutItemCommand({ TableName, Item }));
    const shards = await shardsOf(cloud);
    for (const { isOpen } of shards) expect(isOpen).toBe(true);
    const keys = shards.flatMap((shard) => shard.keys);
    expect(keys).toContain('STREAM');
  });

  test('sees why a transaction was cancelled', async () => {
    const TableName = cloud.output('TableName');
    const Item = { PK: { S: 'T' }, SK: { S: '1' } };
    const Put = { TableName, Item, ConditionExpression: 'attribute_exists(PK)' };
    const write = new TransactWriteItemsCommand({ TransactItems: [{ Put }] });
    await expect(clients.database.send(write)).rejects.toMatchObject({
      name: 'TransactionCanceledException',
      CancellationReasons: [{ Code: 'ConditionalCheckFailed' }],
    });
  });

  test('finds queues under the address of the gateway', async () => {
    const QueueName = cloud.output('QueueUrl').split('/').at(-1);
    const found = await clients.queues.send(new GetQueueUrlCommand({ QueueName }));
    expect(found.QueueUrl).toBe(cloud.output('QueueUrl'));
  });

  test('stores and lists objects', async () => {
    const Bucket = cloud.output('BucketName');
    await clients.buckets.send(new PutObjectCommand({ Bucket, Key: 'a b/ü.txt', Body: 'text' }));
    const list = await clients.buckets.send(new ListObjectsV2Command({ Bucket, Prefix: 'a ' }));
    expect(list.Contents?.map((object) => object.Key)).toEqual(['a b/ü.txt']);
  });

  test('reads the secret that endpoints.json shows', async () => {
    const secrets = new SecretsManagerClient(settings());
    const answer = await clients.probe({ do: 'environment' });
    const SecretId = (answer.answer as Record<string, string>)['SECRET'];
    const { SecretString } = await secrets.send(new GetSecretValueCommand({ SecretId }));
    expect(SecretString).toBe(cloud.endpoints.token);
  });
});

describe('a function', () => {
  test('is its role', async () => {
    const { answer } = await clients.probe({ do: 'identity' });
    expect(answer).toMatch(
      /^arn:aws:sts::000000000000:assumed-role\/Notes-ProbeRole-\w+\/Notes-Probe-\w+$/,
    );
  });

  test('does what its role allows', async () => {
    expect((await clients.probe({ do: 'scan' })).answer).toBeTypeOf('number');
    expect((await clients.probe({ do: 'secret' })).answer).toBe(cloud.endpoints.token);
  });

  test('is refused what its role does not allow, with the name of everything', async () => {
    const { error, answer } = await clients.probe({ do: 'forbidden' });
    const tableArn = `arn:aws:dynamodb:eu-west-1:000000000000:table/${cloud.output('TableName')}`;
    expect(error).toBe('Unhandled');
    expect(answer).toMatchObject({ errorType: 'AccessDeniedException' });
    const { errorMessage } = answer as { errorMessage: string };
    expect(errorMessage).toMatch(/^User: arn:aws:sts::.*assumed-role\/Notes-ProbeRole/);
    expect(errorMessage).toContain('not authorized to perform: dynamodb:DeleteItem');
    expect(errorMessage).toContain(`on resource: ${tableArn} because no identity-based policy`);
    const log = readFileSync(join(cloud.stateDir, 'iam.log'), 'utf8');
    expect(log).toContain('dynamodb:DeleteItem');
    expect(log).toContain(cloud.output('Probe'));
  });
});

describe('what is not there', () => {
  test('is a missing table', async () => {
    const Key = { PK: { S: 'a' } };
    const get = new GetItemCommand({ TableName: 'nowhere', Key });
    await expect(new DynamoDBClient(settings()).send(get)).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
    });
  });

  test('is a missing queue', async () => {
    const get = new GetQueueUrlCommand({ QueueName: 'nowhere' });
    await expect(new SQSClient(settings()).send(get)).rejects.toMatchObject({
      name: 'QueueDoesNotExist',
    });
  });
});

test('after the stop a report lists what was never used and what was refused', async () => {
  const stateDir = temporaryDir();
  const own = await startNotes({ stateDir });
  const ownClients = notesClients(own);
  await ownClients.probe({ do: 'scan' });
  await ownClients.probe({ do: 'forbidden' });
  ownClients.close();
  await own.stop();
  const report = JSON.parse(readFileSync(join(stateDir, 'iam-report.json'), 'utf8'));
  rmSync(stateDir, { recursive: true });
  const never = report.grantedNeverUsed as { role: string; action: string }[];
  const ofProbe = never.filter(({ role }) => role.includes('ProbeRole'));
  expect(ofProbe.map(({ action }) => action)).toEqual([
    'logs:CreateLogGroup',
    'dynamodb:Query',
    'secretsmanager:GetSecretValue',
  ]);
  expect(report.usedButDenied).toEqual([
    expect.objectContaining({ action: 'dynamodb:DeleteItem', times: 1 }),
  ]);
});
