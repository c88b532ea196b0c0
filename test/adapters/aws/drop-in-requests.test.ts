import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as sdkDynamoDB from '@aws-sdk/client-dynamodb';
import * as sdkEvents from '@aws-sdk/client-eventbridge';
import * as sdkIotData from '@aws-sdk/client-iot-data-plane';
import * as sdkSecrets from '@aws-sdk/client-secrets-manager';
import * as sdkSqs from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as dynamoDB from '../../../adapters/aws/dynamodb-client.ts';
import * as events from '../../../adapters/aws/eventbridge-client.ts';
import * as iotData from '../../../adapters/aws/iot-data-plane-client.ts';
import * as secrets from '../../../adapters/aws/secrets-manager-client.ts';
import * as sqs from '../../../adapters/aws/sqs-client.ts';

/**
 * What stands in for the SDK, and the SDK itself, say the same to a service and understand the same
 * of its answers: for each command, one request and one answer of each kind.
 */
type Request = { readonly req: IncomingMessage; readonly body: string };
type Answer = { readonly status: number; readonly headers?: object; readonly body: string };

let answer: Answer = { status: 200, body: '{}' };
const seen: Request[] = [];
const server = createServer((req: IncomingMessage, res: ServerResponse) => {
  let body = '';
  req.setEncoding('utf8').on('data', (text) => {
    body += text;
  });
  req.on('end', () => {
    seen.push({ req, body });
    res.writeHead(answer.status, { ...answer.headers }).end(answer.body);
  });
});

let endpoint = '';
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(resolve));
});

type Sends = { send(command: object): Promise<unknown>; destroy(): void };
type Exports = Record<string, new (given: object) => object>;

const key = { pk: { S: 'ü#1' }, sk: { S: 'é 😀' } };
const names = { '#n': 'n' };
const values = { ':n': { N: '1' } };
const jsonAnswer = (body: object): Answer => ({ status: 200, body: JSON.stringify(body) });

/** The command, its input and a good answer. */
const calls: [service: string, command: string, input: object, good: Answer][] = [
  [
    'DynamoDB',
    'GetItemCommand',
    { TableName: 't', Key: key, ConsistentRead: true },
    jsonAnswer({ Item: { ...key, list: { L: [{ BOOL: true }, { NULL: true }, { M: {} }] } } }),
  ],
  [
    'DynamoDB',
    'BatchGetItemCommand',
    { RequestItems: { t: { Keys: [key], ConsistentRead: true } } },
    jsonAnswer({ Responses: { t: [key] }, UnprocessedKeys: { t: { Keys: [key] } } }),
  ],
  [
    'DynamoDB',
    'QueryCommand',
    {
      TableName: 't',
      KeyConditionExpression: '#n = :n',
      ExpressionAttributeNames: names,
      ExpressionAttributeValues: values,
      ScanIndexForward: false,
      Limit: 2,
      ExclusiveStartKey: key,
    },
    jsonAnswer({ Items: [key], LastEvaluatedKey: key, Count: 1 }),
  ],
  ['DynamoDB', 'PutItemCommand', { TableName: 't', Item: key }, jsonAnswer({})],
  [
    'DynamoDB',
    'UpdateItemCommand',
    {
      TableName: 't',
      Key: key,
      UpdateExpression: 'SET #n = :n',
      ExpressionAttributeNames: names,
      ExpressionAttributeValues: values,
    },
    { status: 200, body: '' },
  ],
  ['DynamoDB', 'DeleteItemCommand', { TableName: 't', Key: key }, jsonAnswer({})],
  [
    'DynamoDB',
    'TransactWriteItemsCommand',
    {
      TransactItems: [{ Put: { TableName: 't', Item: key } }],
      ClientRequestToken: '4c6c0a4c-9f5b-4f0c-a1a5-6f2bd9a3f6a7',
    },
    jsonAnswer({}),
  ],
  [
    'SQS',
    'SendMessageCommand',
    { QueueUrl: 'https://sqs/1/queue', MessageBody: '{"cell":"ü"}', DelaySeconds: 3 },
    jsonAnswer({ MessageId: 'one', MD5OfMessageBody: '06db635085aaa8df2faa00f622fa298b' }),
  ],
  [
    'EventBridge',
    'PutEventsCommand',
    { Entries: [{ Source: 'edgewise', DetailType: 'job.done', Detail: '{"a":"ü"}' }] },
    jsonAnswer({ FailedEntryCount: 0, Entries: [{ EventId: 'x' }] }),
  ],
  [
    'SecretsManager',
    'GetSecretValueCommand',
    { SecretId: 'arn:secret' },
    jsonAnswer({ SecretString: 'token' }),
  ],
  [
    'IoTDataPlane',
    'GetThingShadowCommand',
    { thingName: 'edge:1/ü', shadowName: 'work' },
    jsonAnswer({ state: { desired: { text: 'ü' } } }),
  ],
  [
    'IoTDataPlane',
    'UpdateThingShadowCommand',
    { thingName: 'edge-1', shadowName: 'work', payload: '{"state":{"desired":{"e":"ü"}}}' },
    jsonAnswer({ state: {} }),
  ],
  [
    'IoTDataPlane',
    'DeleteThingShadowCommand',
    { thingName: 'edge-1', shadowName: 'prog' },
    jsonAnswer({ version: 1 }),
  ],
];

const refusal = (type: string, more: object = {}): Answer => ({
  status: 400,
  body: JSON.stringify({ __type: `com.amazonaws#${type}`, message: 'no', ...more }),
});

/** What a service answers instead. */
const refusals: [service: string, name: string, refused: Answer][] = [
  ['DynamoDB', 'ConditionalCheckFailedException', refusal('ConditionalCheckFailedException')],
  ['DynamoDB', 'TransactionConflictException', refusal('TransactionConflictException')],
  ['DynamoDB', 'ThrottlingException', refusal('ThrottlingException')],
  ['DynamoDB', 'InternalServerError', { ...refusal('InternalServerError'), status: 500 }],
  [
    'DynamoDB',
    'TransactionCanceledException',
    refusal('TransactionCanceledException', {
      CancellationReasons: [{ Code: 'None' }, { Code: 'ConditionalCheckFailed', Message: 'so' }],
    }),
  ],
  ['SecretsManager', 'ResourceNotFoundException', refusal('ResourceNotFoundException')],
  [
    'IoTDataPlane',
    'ResourceNotFoundException',
    {
      status: 404,
      headers: { 'x-amzn-errortype': 'ResourceNotFoundException:http://internal/' },
      body: '{"message":"no"}',
    },
  ],
  [
    'IoTDataPlane',
    'ThrottlingException',
    {
      status: 429,
      headers: { 'x-amzn-errortype': 'ThrottlingException' },
      body: '{"message":"no"}',
    },
  ],
];

const both: Readonly<Record<string, readonly [sdk: object, standIn: object]>> = {
  DynamoDB: [sdkDynamoDB, dynamoDB],
  EventBridge: [sdkEvents, events],
  SQS: [sdkSqs, sqs],
  SecretsManager: [sdkSecrets, secrets],
  IoTDataPlane: [sdkIotData, iotData],
};

/** What a client of these exports says when it sends the command, and what it understands. */
async function sent(exported: object, service: string, command: string, input: object) {
  const { [`${service}Client`]: Client, [command]: Command } = exported as Exports;
  const credentials = { accessKeyId: 'id', secretAccessKey: 'key', sessionToken: 'token' };
  const config = { endpoint, region: 'eu-west-1', credentials, maxAttempts: 1 };
  const client = new Client!({ ...config, useQueueUrlAsEndpoint: false }) as Sends;
  seen.length = 0;
  const [outcome] = await Promise.allSettled([client.send(new Command!(input))]);
  client.destroy();
  expect(seen).toHaveLength(1);
  return { said: saidIn(seen[0]!), outcome };
}

function saidIn({ req, body }: Request) {
  const { host, authorization = '' } = req.headers;
  return {
    method: req.method,
    url: req.url,
    host,
    target: req.headers['x-amz-target'],
    type: req.headers['content-type'],
    token: req.headers['x-amz-security-token'],
    scope: /Credential=id\/\d{8}\/([^,]+),/.exec(authorization)?.[1],
    body: body === '' ? null : JSON.parse(body),
  };
}

test.each(calls)('%s: %s is the request of the SDK, with its answer', async (...call) => {
  const [service, command, input, good] = call;
  answer = good;
  const [sdk, standIn] = both[service]!;
  const expected = await sent(sdk, service, command, input);
  const given = await sent(standIn, service, command, input);
  expect(given.said).toEqual(expected.said);
  expect(outputOf(given.outcome)).toEqual(outputOf(expected.outcome));
});

function outputOf(outcome: PromiseSettledResult<unknown>) {
  if (outcome.status === 'rejected') throw outcome.reason;
  const { $metadata, payload, ...output } = outcome.value as sdkIotData.GetThingShadowCommandOutput;
  const { httpStatusCode, attempts } = $metadata;
  const bytes = payload === undefined ? null : [...payload];
  return { output, bytes, text: payload?.transformToString(), httpStatusCode, attempts };
}

test.each(refusals)('%s: %s is the error of the SDK', async (service, name, refused) => {
  answer = refused;
  const [, command, input] = calls.find(([it]) => it === service)!;
  const [sdk, standIn] = both[service]!;
  const expected = errorOf((await sent(sdk, service, command, input)).outcome);
  expect(expected.name).toBe(name);
  expect(errorOf((await sent(standIn, service, command, input)).outcome)).toEqual(expected);
});

function errorOf(outcome: PromiseSettledResult<unknown>) {
  expect(outcome.status).toBe('rejected');
  const { reason } = outcome as PromiseRejectedResult;
  const { name, message, $fault, $metadata, CancellationReasons } = reason;
  const { httpStatusCode, attempts } = $metadata;
  return { name, message, $fault, httpStatusCode, attempts, CancellationReasons };
}
