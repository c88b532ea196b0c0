/**
 * Who is let in: requests by the names of this machine, signed with a key that the local cloud gave
 * away. Everything else reaches the port and gets nothing.
 */
import { request as httpRequest } from 'node:http';
import {
  GetSecretValueCommand,
  ListSecretsCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engine } from '../engine.ts';
import { clientSettings, notesClients } from '../notes-clients.ts';
import { type NotesCloud, startNotes } from '../notes-cloud.ts';

let cloud: NotesCloud;

beforeAll(async () => {
  cloud = await startNotes({ allowedHosts: ['edges.example'] });
});

afterAll(() => cloud.stop());

type Answer = { readonly status: number; readonly body: string };

type Wanted = { host?: string; headers?: Record<string, string>; body?: string };

/** `fetch` chooses the `Host` itself; a browser whose name server lies does not. */
function send(url: string, { host, headers = {}, body }: Wanted = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST';
    const own = host === undefined ? {} : { host };
    const sent = httpRequest(url, { method, headers: { ...headers, ...own } }, (answer) => {
      let text = '';
      answer.on('data', (chunk) => {
        text += chunk;
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body: text }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

function servers(): string[] {
  const { aws, api, outputs } = cloud.endpoints;
  return [`${aws}/_local/health`, `${api}/notes/1`, String(outputs['SiteUrl'])];
}

describe('the name a request is addressed to', () => {
  test.each([
    'evil.example',
    'evil.example:4566',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    '0.0.0.0',
    '10.0.0.1:4566',
    '169.254.169.254',
    '[::]',
    'edges.example.evil.example',
  ])('%s is refused by gateway, API and site', async (host) => {
    for (const url of servers()) {
      const { status, body } = await send(url, { host });
      expect({ url, status }).toEqual({ url, status: 421 });
      expect(body).toContain('--allow-host');
    }
  });

  test.each(['127.0.0.1', 'localhost:1', 'LOCALHOST', 'api.localhost', '[::1]:4566', '127.1.2.3'])(
    '%s is this machine',
    async (host) => {
      for (const url of servers()) expect((await send(url, { host })).status).not.toBe(421);
    },
  );

  test('one that was configured is let in', async () => {
    for (const url of servers()) {
      expect((await send(url, { host: 'edges.example:4566' })).status).not.toBe(421);
    }
  });
});

const requests: Readonly<Record<string, Wanted>> = {
  secretsmanager: {
    headers: { 'x-amz-target': 'secretsmanager.ListSecrets' },
    body: '{}',
  },
  dynamodb: { headers: { 'x-amz-target': 'DynamoDB_20120810.ListTables' }, body: '{}' },
  sqs: { headers: { 'x-amz-target': 'AmazonSQS.ListQueues' }, body: '{}' },
  sns: form('Action=ListTopics'),
  sts: form('Action=GetCallerIdentity'),
  s3: {},
  lambda: { body: '{}' },
  iot: {},
  iotdata: {},
};

function form(body: string): Wanted {
  return { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body };
}

const paths: Readonly<Record<string, string>> = {
  lambda: '/2015-03-31/functions/Notes-Probe/invocations',
  iot: '/things',
  iotdata: '/things/a/shadow',
};

describe('a request to the gateway', () => {
  test.each(Object.keys(requests))('without a signature is refused by %s', async (service) => {
    const url = `${cloud.endpoints.aws}${paths[service] ?? '/'}`;
    const { status, body } = await send(url, requests[service]);
    expect([400, 403]).toContain(status);
    expect(body).toMatch(/missing authentication token/i);
  });

  test.each(Object.keys(requests))('with a key of nobody is refused by %s', async (service) => {
    const url = `${cloud.endpoints.aws}${paths[service] ?? '/'}`;
    const wanted = requests[service] ?? {};
    const { status, body } = await send(url, {
      ...wanted,
      headers: {
        ...wanted.headers,
        'x-amz-date': '20260101T000000Z',
        authorization:
          `AWS4-HMAC-SHA256 Credential=test/20260101/eu-west-1/${service}/aws4_request, ` +
          'SignedHeaders=host, Signature=0',
      },
    });
    expect([400, 403]).toContain(status);
    expect(body).toContain('endpoints.json');
  });

  test('with the right key and another secret is refused', async () => {
    const { accessKeyId } = cloud.endpoints.credentials;
    const credentials = { accessKeyId, secretAccessKey: 'test' };
    const client = new STSClient({ ...clientSettings(cloud), credentials });
    await expect(client.send(new GetCallerIdentityCommand({}))).rejects.toMatchObject({
      name: 'SignatureDoesNotMatch',
    });
  });

  test('with the key of endpoints.json is the account’s own', async () => {
    const client = new SecretsManagerClient(clientSettings(cloud));
    const { SecretList } = await client.send(new ListSecretsCommand({}));
    const SecretId = SecretList?.[0]?.ARN;
    const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId }));
    expect(SecretString).toBe(cloud.endpoints.token);
  });
});

test('nobody can compute a key: that of a function differs between two states', async () => {
  const other = await startNotes();
  expect(other.endpoints.credentials).not.toEqual(cloud.endpoints.credentials);
  const of = async (one: NotesCloud): Promise<unknown> => {
    const { probe, close } = notesClients(one);
    const { answer } = await probe({ do: 'environment' });
    close();
    return (answer as Record<string, string>)['AWS_SECRET_ACCESS_KEY'];
  };
  expect(await of(cloud)).toBeTypeOf('string');
  expect(await of(other)).not.toBe(await of(cloud));
  await other.stop();
});

test('the database behind the gateway shows its tables to nobody else', async () => {
  const database = `http://127.0.0.1:${cloud.portBase + 3}/`;
  const listing = send(database, {
    host: 'evil.example',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': 'DynamoDB_20120810.ListTables',
      'x-amz-date': '20260101T000000Z',
      authorization:
        'AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, ' +
        'SignedHeaders=host;x-amz-date, Signature=0',
    },
    body: '{}',
  });
  const tables = await listing.then(
    ({ body }) => JSON.parse(body).TableNames,
    (error: NodeJS.ErrnoException) => error.code,
  );
  expect(tables).toEqual(engine === 'dynamodb-local' ? [] : 'ECONNREFUSED');
});
