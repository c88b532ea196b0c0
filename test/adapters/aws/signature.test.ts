import { expect, test } from 'vitest';
import { createSigner } from '../../../adapters/aws/signature.ts';

/** Examples of the test suite that AWS published for Signature Version 4. */
const credentials = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
};
const nowMs = Date.UTC(2015, 7, 30, 12, 36, 0);
const sign = createSigner({ region: 'us-east-1', service: 'service' });
const host = 'example.amazonaws.com';

const signatureOf = (headers: Record<string, string>) =>
  /Signature=([0-9a-f]{64})$/.exec(headers.authorization ?? '')?.[1];

test('get-vanilla', () => {
  const parts = { method: 'GET', path: '/', query: {}, headers: { host }, body: '' };
  const headers = sign(parts, credentials, nowMs);
  expect(headers['x-amz-date']).toBe('20150830T123600Z');
  expect(headers.authorization).toBe(
    'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, ' +
      'SignedHeaders=host;x-amz-date, ' +
      'Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
  );
});

test('get-vanilla-query-order-key-case', () => {
  const query = { Param2: 'value2', Param1: 'value1' };
  const parts = { method: 'GET', path: '/', query, headers: { host }, body: '' };
  expect(signatureOf(sign(parts, credentials, nowMs))).toBe(
    'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
  );
});

test('post-x-www-form-urlencoded', () => {
  const headers = { host, 'content-type': 'application/x-www-form-urlencoded' };
  const parts = { method: 'POST', path: '/', query: {}, headers, body: 'Param1=value1' };
  expect(signatureOf(sign(parts, credentials, nowMs))).toBe(
    'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
  );
});

test('another day, another secret and another body have other signatures', () => {
  const parts = { method: 'POST', path: '/', query: {}, headers: { host }, body: 'a' };
  const other = { ...credentials, secretAccessKey: 'other' };
  const signatures = [
    sign(parts, credentials, nowMs),
    sign(parts, credentials, nowMs + 86_400_000),
    sign(parts, other, nowMs),
    sign({ ...parts, body: 'b' }, credentials, nowMs),
    sign(parts, credentials, nowMs),
  ].map(signatureOf);
  expect(new Set(signatures).size).toBe(4);
  expect(signatures[4]).toBe(signatures[0]);
});
