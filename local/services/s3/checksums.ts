/**
 * Sums that the sender of an object declares: "Amazon S3 calculates the checksum and compares it
 * with the value that you provide; if they don't match, the request fails"
 * (https://docs.aws.amazon.com/AmazonS3/latest/userguide/checking-object-integrity-upload.html).
 */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { GatewayRequest } from '../../engine/gateway/request.ts';

type Sum = { readonly header: string; readonly name: string };

const sums: readonly Sum[] = [
  { header: 'content-md5', name: 'MD5' },
  { header: 'x-amz-checksum-crc32', name: 'CRC32' },
  { header: 'x-amz-checksum-sha256', name: 'SHA256' },
];

/** The sentence of the refusal, or undefined when what was declared is what came. */
export function checksumProblem(request: GatewayRequest): string | undefined {
  const { headers } = request.message;
  // Its sums, if it has any, come behind the body.
  if (String(headers['content-encoding'] ?? '').includes('aws-chunked')) return undefined;
  for (const { header, name } of sums) {
    const declared = headers[header];
    if (declared === undefined || declared === sumOf(request, name)) continue;
    return `The ${name} you specified did not match the calculated checksum.`;
  }
  const declared = String(headers['x-amz-content-sha256'] ?? '');
  const { spooled } = request;
  const isOther = /^[0-9a-f]{64}$/.test(declared) && spooled !== undefined;
  if (!isOther || declared === spooled.sha256) return undefined;
  return "The provided 'x-amz-content-sha256' header does not match what was computed.";
}

/** In base64, as headers have it. */
function sumOf({ body, spooled }: GatewayRequest, name: string): string {
  if (name === 'CRC32') {
    return base64(spooled?.crc32 ?? (crc32(body) >>> 0).toString(16).padStart(8, '0'));
  }
  if (name === 'MD5') return base64(spooled?.md5 ?? createHash('md5').update(body).digest('hex'));
  return base64(spooled?.sha256 ?? createHash('sha256').update(body).digest('hex'));
}

export const base64 = (hex: string): string => Buffer.from(hex, 'hex').toString('base64');
