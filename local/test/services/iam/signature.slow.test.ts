/** Signatures: the official SDK's pass, whatever is in path and query; changed requests do not. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { IoTDataPlaneClient, PublishCommand } from '@aws-sdk/client-iot-data-plane';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { FunctionCredentials } from '../../../services/iam/identity.ts';
import { type SignedRequest, signatureProblem } from '../../../services/iam/signature.ts';

const credentials: FunctionCredentials = {
  accessKeyId: 'ASIAEXAMPLE',
  secretAccessKey: 'secret/with+signs',
  sessionToken: 'token/with+signs=',
};

let server: Server;
let endpoint: string;
let seen: SignedRequest[];

beforeAll(async () => {
  server = createServer((message, res) => {
    const chunks: Buffer[] = [];
    message.on('data', (chunk: Buffer) => chunks.push(chunk));
    message.on('end', () => {
      const { method = '', url = '', headers } = message;
      seen.push({ method, url, headers, body: Buffer.concat(chunks) });
      res.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

beforeEach(() => {
  seen = [];
});

function settings() {
  return { endpoint, region: 'eu-west-1', credentials, maxAttempts: 1, forcePathStyle: true };
}

const nowMs = Date.UTC(2013, 4, 24);
const Bucket = 'bucket';
const Key = "a b/ü+(1)*'=&%41.txt";

const sends: Readonly<Record<string, () => Promise<unknown>>> = {
  DynamoDB: () => new DynamoDBClient(settings()).send(new ListTablesCommand({})),
  'Lambda, a name with colons': () => {
    const FunctionName = 'arn:aws:lambda:eu-west-1:000000000000:function:f';
    const invoke = new InvokeCommand({
      FunctionName,
      Qualifier: '$LATEST',
      Payload: '{}' as never,
    });
    return new LambdaClient(settings()).send(invoke);
  },
  'IoT, a topic with slashes': () => {
    const publish = new PublishCommand({ topic: 'a/b c/ü', qos: 1, payload: Buffer.from('x') });
    return new IoTDataPlaneClient(settings()).send(publish);
  },
  'S3, an object': () =>
    new S3Client(settings()).send(new PutObjectCommand({ Bucket, Key, Body: 'x' })),
  'S3, a query': () => {
    const get = new GetObjectCommand({ Bucket, Key, ResponseContentType: 'text/plain; a="b c"' });
    return new S3Client(settings()).send(get);
  },
  STS: () =>
    new STSClient(settings()).send(new GetCallerIdentityCommand({})).catch(() => undefined),
};

test.each(Object.keys(sends))('the SDK’s own passes: %s', async (name) => {
  await sends[name]?.();
  expect(seen.map((request) => signatureProblem(request, credentials, nowMs))).toEqual([undefined]);
});

describe('a request is refused', () => {
  async function sent(): Promise<SignedRequest> {
    await sends['DynamoDB']?.();
    return seen[0] as SignedRequest;
  }

  test('with another secret', async () => {
    const other = { ...credentials, secretAccessKey: 'other' };
    expect(signatureProblem(await sent(), other, nowMs)).toBe('signature');
  });

  test('with another body', async () => {
    const changed = { ...(await sent()), body: Buffer.from('{"Limit":1}') };
    expect(signatureProblem(changed, credentials, nowMs)).toBe('signature');
  });

  test('with another query', async () => {
    const changed = { ...(await sent()), url: '/?a=b' };
    expect(signatureProblem(changed, credentials, nowMs)).toBe('signature');
  });

  test('with another value of a signed header', async () => {
    const request = await sent();
    const headers = { ...request.headers, 'x-amz-target': 'DynamoDB_20120810.DeleteTable' };
    expect(signatureProblem({ ...request, headers }, credentials, nowMs)).toBe('signature');
  });

  test('without its session token', async () => {
    const request = await sent();
    const headers = { ...request.headers, 'x-amz-security-token': undefined };
    expect(signatureProblem({ ...request, headers }, credentials, nowMs)).toBe('token');
  });
});

test('AWS’s example of a presigned address passes for a day', () => {
  const query =
    'X-Amz-Algorithm=AWS4-HMAC-SHA256' +
    '&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request' +
    '&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host' +
    '&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404';
  const request = {
    method: 'GET',
    url: `/test.txt?${query}`,
    headers: { host: 'examplebucket.s3.amazonaws.com' },
    body: Buffer.alloc(0),
  };
  const lasting = {
    accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    sessionToken: undefined,
  };
  expect(signatureProblem(request, lasting, nowMs)).toBeUndefined();
  expect(signatureProblem(request, lasting, nowMs + 86_400_000)).toBeUndefined();
  expect(signatureProblem(request, lasting, nowMs + 86_400_001)).toBe('over');
});
