/**
 * Putting and getting large objects without holding them in memory: the part of S3 that the
 * stand-in would do in one piece.
 */
import { createReadStream } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { sendS3Error } from '../../engine/gateway/answer.ts';
import type { GatewayRequest } from '../../engine/gateway/request.ts';
import { objectInMemoryBytesMax, objectReadBytes } from '../../limits.ts';
import type { BucketStore } from '../queues-and-buckets.ts';
import { type ObjectFiles, piecesOf, type StoredObject } from './object-files.ts';

/** An object or a part of one that is large: no copy, no body in frames of its own. */
export function isLargePut({ method, path, message }: GatewayRequest): boolean {
  const { headers } = message;
  const encoding = String(headers['content-encoding'] ?? '');
  return (
    method === 'PUT' &&
    keyOf(path) !== '' &&
    headers['x-amz-copy-source'] === undefined &&
    !encoding.includes('aws-chunked') &&
    Number(headers['content-length'] ?? 0) > objectInMemoryBytesMax
  );
}

export function putLarge(
  request: GatewayRequest,
  res: ServerResponse,
  { buckets, files }: { readonly buckets: BucketStore; readonly files: ObjectFiles },
): void {
  const { spooled, message } = request;
  if (spooled === undefined) return;
  const bucket = bucketOf(request.path);
  if (!buckets.hasBucket(bucket)) {
    sendS3Error(res, 404, 'NoSuchBucket', 'The specified bucket does not exist');
    return;
  }
  const checksum = message.headers['x-amz-checksum-sha256'];
  const etag = `"${spooled.md5}"`;
  const object: StoredObject = {
    key: keyOf(request.path),
    body: Buffer.alloc(0),
    contentType: message.headers['content-type'] ?? 'application/octet-stream',
    contentLength: spooled.bytes,
    etag,
    lastModified: new Date(),
    metadata: metadataOf(request),
    ...(typeof checksum === 'string'
      ? { checksumAlgorithm: 'SHA256', checksumValue: checksum, checksumType: 'FULL_OBJECT' }
      : {}),
  };
  files.put(bucket, object, spooled.path);
  const sum = typeof checksum === 'string' ? { 'x-amz-checksum-sha256': checksum } : {};
  res.writeHead(200, { etag, 'content-length': 0, ...sum });
  res.end();
}

/** Undefined for a request that the stand-in answers: another one, or of a body that it has. */
export function largeGet(
  request: GatewayRequest,
  { buckets, files }: { readonly buckets: BucketStore; readonly files: ObjectFiles },
): ((res: ServerResponse) => Promise<void>) | undefined {
  const { method, path, query } = request;
  if (method !== 'GET' || keyOf(path) === '' || query.has('partNumber')) return undefined;
  const file = files.fileOf(bucketOf(path), keyOf(path));
  if (file === undefined) return undefined;
  const object = buckets.headObject(bucketOf(path), keyOf(path));
  return (res) => sendLarge(request, res, object, file);
}

async function sendLarge(
  { message: { headers } }: GatewayRequest,
  res: ServerResponse,
  object: StoredObject,
  file: string,
): Promise<void> {
  const { contentLength: total, etag } = object;
  const wanted = headers['if-match'];
  if (wanted !== undefined && wanted !== etag) {
    const sentence = 'At least one of the pre-conditions you specified did not hold';
    return sendS3Error(res, 412, 'PreconditionFailed', sentence);
  }
  if (headers['if-none-match'] === etag) {
    res.writeHead(304, { etag }).end();
    return;
  }
  const range = rangeOf(headers.range, total);
  if (range === null) {
    res.setHeader('content-range', `bytes */${total}`);
    return sendS3Error(res, 416, 'InvalidRange', 'The requested range is not satisfiable');
  }
  const { start, end } = range;
  const sent = { 'content-range': `bytes ${start}-${end}/${total}` };
  const metadata = Object.entries(object.metadata).map(([name, text]) => [
    `x-amz-meta-${name}`,
    text,
  ]);
  res.writeHead(headers.range === undefined ? 200 : 206, {
    'content-type': object.contentType,
    'content-length': end - start + 1,
    'accept-ranges': 'bytes',
    'last-modified': object.lastModified.toUTCString(),
    etag,
    ...Object.fromEntries(metadata),
    ...(headers.range === undefined ? {} : sent),
  });
  await pipeline(Readable.from(bytesOf(file, start, end)), res).catch((error: unknown) => {
    // Who asked has gone away.
    if ((error as { code?: string }).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  });
}

/** From the first byte to the last, which is one of them, over the files that have them. */
async function* bytesOf(file: string, first: number, last: number): AsyncGenerator<Buffer> {
  let at = 0;
  for (const { path, bytes } of piecesOf(file)) {
    const [start, end] = [Math.max(0, first - at), Math.min(bytes - 1, last - at)];
    at += bytes;
    if (start <= end) yield* createReadStream(path, { start, end, highWaterMark: objectReadBytes });
  }
}

/** `null`: there is no such part. */
function rangeOf(
  header: string | undefined,
  total: number,
): { readonly start: number; readonly end: number } | null {
  if (header === undefined) return { start: 0, end: total - 1 };
  const match = /^bytes=(\d*)-(\d*)$/.exec(header);
  if (match === null || match[0] === 'bytes=-') return null;
  const [first, last] = [match[1] ?? '', match[2] ?? ''];
  const start = first === '' ? Math.max(0, total - Number(last)) : Number(first);
  const end = first === '' || last === '' ? total - 1 : Math.min(Number(last), total - 1);
  return start > end || start >= total ? null : { start, end };
}

export function metadataOf({ message }: GatewayRequest): Record<string, string> {
  const found = Object.entries(message.headers).flatMap(([name, value]) =>
    name.startsWith('x-amz-meta-') ? [[name.slice('x-amz-meta-'.length), String(value)]] : [],
  );
  return Object.fromEntries(found) as Record<string, string>;
}

export const bucketOf = (path: string): string =>
  decodeURIComponent(path).slice(1).split('/')[0] ?? '';

export const keyOf = (path: string): string =>
  decodeURIComponent(path).slice(1).split('/').slice(1).join('/');
