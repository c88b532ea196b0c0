import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { ServiceException } from '../../../adapters/aws/service-exception.ts';
import { createSignedClient, type SignedClient } from '../../../adapters/aws/signed-client.ts';
import { awsAttemptsMax } from '../../../core/model/limits.ts';

let server: Server | null = null;
let client: SignedClient | null = null;
afterEach(async () => {
  client?.close();
  server?.closeAllConnections();
  if (server !== null) await new Promise((resolve) => server?.close(resolve));
});

type Answering = (res: ServerResponse, req: IncomingMessage, body: string) => void;

/** A service that gives these answers one after the other, the last one for ever. */
async function serviceOf(...answers: readonly Answering[]) {
  const seen: { req: IncomingMessage; body: string }[] = [];
  server = createServer((req, res) => {
    let body = '';
    req.setEncoding('utf8').on('data', (text) => {
      body += text;
    });
    req.on('end', () => {
      const answer = answers[Math.min(seen.length, answers.length - 1)]!;
      seen.push({ req, body });
      answer(res, req, body);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = new URL(`http://127.0.0.1:${port}`);
  const credentials = { accessKeyId: 'id', secretAccessKey: 'key', sessionToken: 'token' };
  client = createSignedClient({ url, region: 'eu-west-1', service: 'dynamodb' }, { credentials });
  return { seen, client };
}

const says =
  (status: number, text: string, headers: Record<string, string> = {}): Answering =>
  (res) =>
    res.writeHead(status, headers).end(text);
const cuts: Answering = (res) => res.destroy();
const request = { method: 'POST', path: '/', body: '{"text":"é😀"}' } as const;

test('sends what it is given, signed for the scope of the service', async () => {
  const { seen, client } = await serviceOf(says(200, '{"fine":"ü"}'));
  expect(await client.send({ ...request, query: { name: 'work' } })).toEqual({
    body: '{"fine":"ü"}',
    $metadata: { httpStatusCode: 200, attempts: 1 },
  });
  const { req, body } = seen[0]!;
  expect(body).toBe(request.body);
  expect(req.url).toBe('/?name=work');
  expect(req.headers['x-amz-security-token']).toBe('token');
  const [, scope, signed] = req.headers.authorization?.split(/ Credential=|, SignedHeaders=/) ?? [];
  expect(req.headers.authorization).toMatch(/^AWS4-HMAC-SHA256 /);
  expect(scope).toMatch(/^id\/\d{8}\/eu-west-1\/dynamodb\/aws4_request$/);
  expect(signed).toMatch(/^host;/);
});

test('keeps its connection', async () => {
  const { seen, client } = await serviceOf(says(200, ''));
  for (let times = 0; times < 3; times++) await client.send(request);
  expect(new Set(seen.map(({ req }) => req.socket.remotePort)).size).toBe(1);
});

test.each([
  ['a failure of the service', says(500, '')],
  ['a gateway that is down', says(503, '<html>')],
  ['throttling', says(400, '{"__type":"x#ProvisionedThroughputExceededException"}')],
  ['a connection that breaks', cuts],
])('%s is tried again', async (_name, answer) => {
  const { seen, client } = await serviceOf(answer, says(200, 'fine'));
  expect(await client.send(request)).toEqual({
    body: 'fine',
    $metadata: { httpStatusCode: 200, attempts: 2 },
  });
  expect(seen.map(({ body }) => body)).toEqual([request.body, request.body]);
});

test('gives up after a bounded number of tries', async () => {
  const { seen, client } = await serviceOf(says(500, '{"__type":"x#InternalServerError"}'));
  await expect(client.send(request)).rejects.toMatchObject({ name: 'InternalServerError' });
  expect(seen).toHaveLength(awsAttemptsMax);
});

test.each([
  ['a body', says(400, '{"__type":"com.amazonaws#Refused","message":"no","More":[1]}'), [1]],
  [
    'a header',
    says(409, '{"message":"no"}', { 'x-amzn-errortype': 'Refused:http://x/' }),
    undefined,
  ],
  ['a code', says(403, '{"code":"Refused","Message":"no"}'), undefined],
])('a refusal named by %s is thrown at once', async (_name, answer, more) => {
  const { seen, client } = await serviceOf(answer);
  const error = await client.send(request).catch((it: unknown) => it);
  expect(error).toBeInstanceOf(ServiceException);
  expect(error).toMatchObject({ name: 'Refused', message: 'no', $fault: 'client' });
  expect((error as { More?: unknown }).More).toEqual(more);
  expect(seen).toHaveLength(1);
});
