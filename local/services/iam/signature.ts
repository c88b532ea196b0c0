/**
 * Signature Version 4, checked for every request
 * (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html): a
 * client that signs wrongly works against stand-ins that do not look, and against AWS not at all.
 * The date is compared with the clock for a presigned address alone, which says how long it is good
 * for.
 *
 * AWS IoT has two rules of its own for addresses: the session token is no part of what is signed
 * (https://docs.aws.amazon.com/iot/latest/developerguide/iam-users-groups-roles.html), and the
 * signature is good for five minutes, whatever `X-Amz-Expires` says
 * (https://github.com/aws/aws-sdk-go/issues/2304).
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { iotSignatureMsMax, presignedSecondsMax } from '../../limits.ts';
import type { Credentials } from './identity.ts';

/** Names of AWS IoT's data plane in a signature. */
export const iotDataServices: ReadonlySet<string> = new Set(['iotdevicegateway', 'iotdata']);

export type SignedRequest = {
  readonly method: string;
  /** Path and query as sent. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  /** What the body will be held against when it has arrived; the body is not looked at then. */
  readonly bodySha256?: string;
};

/**
 * What is wrong: there is no signature, nobody has the key, the signature is another one, or so is
 * the session token that has to come with a function's key, or the key's time is over, or that of
 * the presigned address.
 */
export type SignatureProblem = 'missing' | 'key' | 'signature' | 'token' | 'expired' | 'over';

export function signatureProblem(
  request: SignedRequest,
  credentials: Credentials,
  nowMs: number,
): Extract<SignatureProblem, 'signature' | 'token' | 'over'> | undefined {
  const parts = partsOf(request);
  if (parts === undefined) return 'signature';
  if (parts.token !== credentials.sessionToken) return 'token';
  const canonical = canonicalRequest(request, parts);
  if (canonical === undefined) return 'signature';
  const [, date = '', region = '', service = ''] = parts.scope;
  const scope = `${date}/${region}/${service}/aws4_request`;
  const text = `AWS4-HMAC-SHA256\n${parts.time}\n${scope}\n${sha256(canonical)}`;
  const key = signingKey(credentials.secretAccessKey, date, region, service);
  const wanted = createHmac('sha256', key).update(text).digest();
  const given = Buffer.from(parts.signature, 'hex');
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return 'signature';
  return parts.isPresigned && isOver(request, parts, nowMs) ? 'over' : undefined;
}

/** "The minimum value you can set is 1, and the maximum is 604800 (seven days)." */
function isOver(request: SignedRequest, { time, scope }: Parts, nowMs: number): boolean {
  const signedAtMs = msOf(time);
  if (signedAtMs === undefined) return true;
  if (isIotData(scope)) return Math.abs(nowMs - signedAtMs) > iotSignatureMsMax;
  const seconds = Number(new URLSearchParams(queryText(request.url)).get('X-Amz-Expires'));
  if (!(seconds >= 1 && seconds <= presignedSecondsMax)) return true;
  return nowMs > signedAtMs + seconds * 1_000;
}

function msOf(time: string): number | undefined {
  const at = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(time);
  if (at === null) return undefined;
  const [year = 0, month = 0, ...rest] = at.slice(1).map(Number);
  const [day, hour, minute, second] = rest;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** What AWS IoT says of a signature that is too old, or of one from the future. */
export function signatureExpired(time: string, nowMs: number): string {
  const text = (ms: number): string =>
    `${new Date(ms).toISOString().replaceAll(/[:-]/g, '').slice(0, 15)}Z`;
  const minutes = iotSignatureMsMax / 60_000;
  const isEarly = (msOf(time) ?? 0) > nowMs;
  const [what, than, sign] = isEarly
    ? (['not yet current', 'is still later than', '+'] as const)
    : (['expired', 'is now earlier than', '-'] as const);
  const edge = text(nowMs + (isEarly ? iotSignatureMsMax : -iotSignatureMsMax));
  return `Signature ${what}: ${time} ${than} ${edge} (${text(nowMs)} ${sign} ${minutes} min.)`;
}

const isIotData = (scope: readonly string[]): boolean => iotDataServices.has(scope[3] ?? '');

type Parts = {
  /** Key, date, region, service, `aws4_request`. */
  readonly scope: readonly string[];
  readonly signedHeaders: readonly string[];
  readonly signature: string;
  readonly time: string;
  readonly token: string | undefined;
  readonly isPresigned: boolean;
};

function partsOf(request: SignedRequest): Parts | undefined {
  const authorization = text(request, 'authorization');
  if (authorization === undefined) return presignedParts(request);
  const part = (name: string): string =>
    new RegExp(`${name}=([^,\\s]+)`).exec(authorization)?.[1] ?? '';
  if (!authorization.startsWith('AWS4-HMAC-SHA256 ')) return undefined;
  return {
    scope: part('Credential').split('/'),
    signedHeaders: part('SignedHeaders').split(';'),
    signature: part('Signature'),
    time: text(request, 'x-amz-date') ?? '',
    token: text(request, 'x-amz-security-token'),
    isPresigned: false,
  };
}

function presignedParts(request: SignedRequest): Parts | undefined {
  const query = new URLSearchParams(queryText(request.url));
  const signature = query.get('X-Amz-Signature');
  if (signature === null) return undefined;
  return {
    scope: (query.get('X-Amz-Credential') ?? '').split('/'),
    signedHeaders: (query.get('X-Amz-SignedHeaders') ?? '').split(';'),
    signature,
    time: query.get('X-Amz-Date') ?? '',
    token: query.get('X-Amz-Security-Token') ?? undefined,
    isPresigned: true,
  };
}

/** Undefined when the body is not the one that was signed. */
function canonicalRequest(request: SignedRequest, parts: Parts): string | undefined {
  const isS3 = parts.scope[3] === 's3';
  const declared = text(request, 'x-amz-content-sha256');
  const actual = (): string => createHash('sha256').update(request.body).digest('hex');
  const isHash = declared !== undefined && /^[0-9a-f]{64}$/.test(declared);
  const isHere = request.bodySha256 === undefined;
  if (isHere && isHash && declared !== actual()) return undefined;
  const unsigned = parts.isPresigned && isS3 ? 'UNSIGNED-PAYLOAD' : undefined;
  const headers = parts.signedHeaders.map(
    (name) => `${name}:${(text(request, name) ?? '').trim().replace(/\s+/g, ' ')}\n`,
  );
  const path = request.url.split('?')[0] ?? '/';
  return [
    request.method,
    // Every service but S3 signs the path as it was sent, encoded once more.
    isS3 ? path : path.split('/').map(encoded).join('/'),
    canonicalQuery(request.url, isIotData(parts.scope) ? unsignedByIot : unsignedAlways),
    headers.join(''),
    parts.signedHeaders.join(';'),
    declared ?? unsigned ?? actual(),
  ].join('\n');
}

const unsignedAlways: readonly string[] = ['X-Amz-Signature'];
const unsignedByIot: readonly string[] = [...unsignedAlways, 'X-Amz-Security-Token'];

function canonicalQuery(url: string, unsigned: readonly string[]): string {
  const pairs = queryText(url)
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const at = pair.indexOf('=');
      const name = decodeURIComponent(at < 0 ? pair : pair.slice(0, at));
      const value = decodeURIComponent(at < 0 ? '' : pair.slice(at + 1));
      return [encoded(name), encoded(value)] as const;
    })
    .filter(([name]) => !unsigned.includes(name));
  const order = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
  pairs.sort(([a, first], [b, second]) => order(a, b) || order(first, second));
  return pairs.map((pair) => pair.join('=')).join('&');
}

function queryText(url: string): string {
  const mark = url.indexOf('?');
  return mark < 0 ? '' : url.slice(mark + 1);
}

/** Every byte but letters, digits and `-._~`. */
function encoded(value: string): string {
  return encodeURIComponent(value).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** The last key: a function signs thousands of times on one day. */
const keys = new Map<string, Buffer>();
const keysMax = 256;

function signingKey(secret: string, date: string, region: string, service: string): Buffer {
  const name = `${secret}/${date}/${region}/${service}`;
  const known = keys.get(name);
  if (known !== undefined) return known;
  const step = (key: string | Buffer, part: string): Buffer =>
    createHmac('sha256', key).update(part).digest();
  const key = step(step(step(step(`AWS4${secret}`, date), region), service), 'aws4_request');
  if (keys.size >= keysMax) keys.clear();
  keys.set(name, key);
  return key;
}

function sha256(value: string): string {
  return createHash('sha256').update(value).digest('hex');
}

function text(request: SignedRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(',') : value;
}
