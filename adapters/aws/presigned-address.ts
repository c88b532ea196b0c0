import { createHmac, hash } from 'node:crypto';
import type { Endpoint } from './endpoint.ts';
import type { Credentials } from './environment-credentials.ts';
import { queryOf } from './signature.ts';

/**
 * An address that lets whoever has it send one request for a while: Signature Version 4 in the
 * query. The body is not signed, but what is said of it in a signed header is, so that a checksum
 * among them decides what can be put there.
 */
export type PresignedRequest = {
  readonly method: string;
  /** Percent-encoded already. */
  readonly path: string;
  /** Lower-case names; to be sent exactly so. */
  readonly headers: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly seconds: number;
};

export function presignedAddress(
  { method, path, headers, seconds, query: more = {} }: PresignedRequest,
  { url, region, service }: Endpoint,
  credentials: Credentials,
  nowMs: number,
): string {
  const time = new Date(nowMs).toISOString().replace(/[-:]|\.\d{3}/g, '');
  const day = time.slice(0, 8);
  const scope = `${day}/${region}/${service}/aws4_request`;
  const all: Record<string, string> = { ...headers, host: url.host };
  const names = Object.keys(all).sort();
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  const query = queryOf({
    ...more,
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': `${accessKeyId}/${scope}`,
    'X-Amz-Date': time,
    'X-Amz-Expires': String(seconds),
    ...(sessionToken === undefined ? {} : { 'X-Amz-Security-Token': sessionToken }),
    'X-Amz-SignedHeaders': names.join(';'),
  });
  const canonical = [
    method,
    path,
    query,
    ...names.map((name) => `${name}:${all[name]}`),
    '',
    names.join(';'),
    'UNSIGNED-PAYLOAD',
  ].join('\n');
  const text = `AWS4-HMAC-SHA256\n${time}\n${scope}\n${hash('sha256', canonical, 'hex')}`;
  const steps = [day, region, service, 'aws4_request'];
  const first: Buffer = Buffer.from(`AWS4${secretAccessKey}`);
  const signature = hmac(steps.reduce(hmac, first), text).toString('hex');
  return `${url.protocol}//${url.host}${path}?${query}&X-Amz-Signature=${signature}`;
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text, 'utf8').digest();
}
