/** A function's key with a wrong signature is refused, in the form of each protocol. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type NotesClients, notesClients } from '../../notes-clients.ts';
import { type NotesCloud, startNotes } from '../../notes-cloud.ts';

let cloud: NotesCloud;
let clients: NotesClients;
let environment: Record<string, string>;

beforeAll(async () => {
  cloud = await startNotes();
  clients = notesClients(cloud);
  const { answer } = await clients.probe({ do: 'environment' });
  environment = answer as Record<string, string>;
});

afterAll(async () => {
  clients.close();
  await cloud.stop();
});

function send(service: string, token: string, headers: Record<string, string>): Promise<Response> {
  const scope = `${environment['AWS_ACCESS_KEY_ID']}/20260101/eu-west-1/${service}/aws4_request`;
  const signed = `Credential=${scope}, SignedHeaders=host, Signature=${'0'.repeat(64)}`;
  return fetch(cloud.endpoints.aws, {
    method: 'POST',
    headers: {
      authorization: `AWS4-HMAC-SHA256 ${signed}`,
      'x-amz-date': '20260101T000000Z',
      'x-amz-security-token': token,
      ...headers,
    },
    body: 'Action=GetCallerIdentity',
  });
}

test.each([
  ['dynamodb', { 'x-amz-target': 'DynamoDB_20120810.Scan' }, 400, 'InvalidSignatureException'],
  ['lambda', { 'content-type': 'application/json' }, 403, 'InvalidSignatureException'],
  ['s3', {}, 403, '<Code>SignatureDoesNotMatch</Code>'],
  ['sts', form(), 403, '<Code>SignatureDoesNotMatch</Code>'],
])('%s', async (service, headers, status, text) => {
  const response = await send(service, environment['AWS_SESSION_TOKEN'] ?? '', headers);
  expect(response.status).toBe(status);
  expect(`${response.headers.get('x-amzn-errortype')} ${await response.text()}`).toContain(text);
});

test('a token that does not belong to the key is invalid', async () => {
  const response = await send('dynamodb', 'other', { 'x-amz-target': 'DynamoDB_20120810.Scan' });
  expect(await response.json()).toMatchObject({
    __type: 'com.amazon.coral.service#UnrecognizedClientException',
    message: 'The security token included in the request is invalid.',
  });
});

function form(): Record<string, string> {
  return { 'content-type': 'application/x-www-form-urlencoded' };
}
