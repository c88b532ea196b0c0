/**
 * What is not there is refused in the shape of each protocol; and the two pages for programs that
 * look for LocalStack.
 */
import { createHash, createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type NotesCloud, startNotes } from '../../notes-cloud.ts';

let cloud: NotesCloud;

beforeAll(async () => {
  cloud = await startNotes();
});

afterAll(() => cloud.stop());

type Call = { service: string; path?: string; headers?: Record<string, string>; body?: string };

/** Signed as the developer, so that nothing but the operation is unknown. */
function call({ service, path = '/', headers = {}, body = '' }: Call): Promise<Response> {
  const { aws, region, credentials } = cloud.endpoints;
  const [day, time] = ['20260101', '20260101T000000Z'];
  const scope = `${day}/${region}/${service}/aws4_request`;
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
  const hmac = (key: string | Buffer, text: string) =>
    createHmac('sha256', key).update(text).digest();
  const canonical = ['POST', path, '', `x-amz-date:${time}\n`, 'x-amz-date', sha256(body)];
  const text = `AWS4-HMAC-SHA256\n${time}\n${scope}\n${sha256(canonical.join('\n'))}`;
  const steps = [day, region, service, 'aws4_request', text];
  const signature = steps.reduce<string | Buffer>(hmac, `AWS4${credentials.secretAccessKey}`);
  const parts = [
    `Credential=${credentials.accessKeyId}/${scope}`,
    'SignedHeaders=x-amz-date',
    `Signature=${Buffer.from(signature).toString('hex')}`,
  ];
  const authorization = `AWS4-HMAC-SHA256 ${parts.join(', ')}`;
  const all = { ...headers, authorization, 'x-amz-date': time };
  return fetch(`${aws}${path}`, { method: 'POST', headers: all, body });
}

const form = { 'content-type': 'application/x-www-form-urlencoded' };
const json = (version: string, target: string) => ({
  'content-type': `application/x-amz-json-${version}`,
  'x-amz-target': target,
});
const unknown = 'UnknownOperationException';

test.each<[string, Call, number, RegExp]>([
  [
    'JSON 1.0',
    { service: 'dynamodb', headers: json('1.0', 'DynamoDB_20120810.MakeTea'), body: '{}' },
    400,
    /MakeTea/,
  ],
  ['JSON 1.1', { service: 'logs', headers: json('1.1', 'Logs_20140328.MakeTea') }, 400, /MakeTea/],
  ['query', { service: 'sts', headers: form, body: 'Action=MakeTea' }, 400, /MakeTea/],
  ['REST-JSON', { service: 'lambda', path: '/2015-03-31/tea' }, 404, /POST \/2015-03-31\/tea/],
  ['REST-JSON of another service', { service: 'iot', path: '/tea' }, 404, /POST \/tea/],
])('an operation of %s', async (_protocol, request, status, words) => {
  const response = await call(request);
  const text = await response.text();
  expect(response.status).toBe(status);
  expect(text).toMatch(words);
  expect(text).toContain(`The local cloud runs the service ${request.service}, but not`);
  const version = /json-1\.\d/.exec(request.headers?.['content-type'] ?? '')?.[0];
  expect(response.headers.get('content-type')).toContain(version ?? '');
});

test.each<[string, Call, number, RegExp]>([
  [
    'JSON',
    { service: 'kms', headers: json('1.1', 'TrentService.Encrypt') },
    400,
    /__type.*kms \(Encrypt/,
  ],
  [
    'query',
    { service: 'monitoring', headers: form, body: 'Action=Get' },
    400,
    /<Code>InvalidAction/,
  ],
  ['EC2', { service: 'ec2', headers: form, body: 'Action=Get' }, 400, /<Response><Errors><Error>/],
  ['REST-XML', { service: 'route53', path: '/2013-04-01/zone' }, 400, /<ErrorResponse>/],
  ['REST-JSON', { service: 'eks', path: '/clusters' }, 404, /eks \(POST \/clusters\)/],
  [
    'CBOR',
    {
      service: 'tea',
      path: '/service/Tea/operation/Make',
      headers: { 'smithy-protocol': 'rpc-v2-cbor' },
    },
    400,
    /^\xa2.*__type.*UnknownOperationException.*tea \(Make\)/s,
  ],
])('a service of %s', async (_protocol, request, status, words) => {
  const response = await call(request);
  const text = Buffer.from(await response.arrayBuffer()).toString('latin1');
  expect(response.status).toBe(status);
  expect(text).toMatch(words);
  expect(text).toContain('it runs apigateway, cloudformation, dynamodb, events, iot');
  if (response.status === 404) expect(response.headers.get('x-amzn-errortype')).toBe(unknown);
});

test('programs that look for LocalStack find what runs, without a signature', async () => {
  const { aws } = cloud.endpoints;
  const health = await (await fetch(`${aws}/_localstack/health`)).json();
  expect(health).toMatchObject({ edition: 'edgewise-local', services: { s3: 'running' } });
  const info = await (await fetch(`${aws}/_localstack/info`)).json();
  expect(info).toMatchObject({ is_docker: false, is_license_activated: false });
  const other = await fetch(`${aws}/_localstack/diagnose`);
  expect([other.status, await other.text()]).toEqual([404, expect.stringContaining('/health')]);
});
