/**
 * Where the engine listens, and under which key its data is kept. Neither engine asks who it is
 * that calls, and whoever may write a row may make a token of his own; so nothing leads to it but
 * the gateway, as far as each of them allows:
 *
 * - DynamoDB Local listens on every network interface, and keeps the data of each access key apart:
 *   the key of this state directory opens it, any other finds an empty database.
 * - dynoxide has one database for all keys, and listens where it should: on Linux, where all of
 *   127.0.0.0/8 is this machine, on an address out of sixteen million. A page in a browser cannot
 *   find it; another user of this machine, who sees which ports are open, can.
 */
import { randomInt } from 'node:crypto';

export type EngineAddress = {
  readonly host: string;
  readonly port: number;
  readonly accessKeyId: string;
};

/** The one address that DynamoDB Local is called by. */
const loopback = '127.0.0.1';

export function engineAddress(
  engine: 'dynoxide' | 'dynamodb-local',
  port: number,
  accessKeyId: string,
): EngineAddress {
  const isOwn = engine === 'dynoxide' && process.platform === 'linux';
  const host = isOwn ? `127.${randomInt(1, 255)}.${randomInt(256)}.${randomInt(1, 255)}` : loopback;
  return { host, port, accessKeyId };
}

/** The region of the local cloud's own calls; the name of DynamoDB Local's file has it in it. */
const region = 'us-east-1';

export function dataFileOf({ accessKeyId }: EngineAddress): string {
  return `${accessKeyId}_${region}.db`;
}

/** The engines want the form of a signature; they do not check it. */
export function engineHeaders(
  { accessKeyId }: EngineAddress,
  target: string,
  bytes: number,
): Record<string, string> {
  const parts = [
    `Credential=${accessKeyId}/20260101/${region}/dynamodb/aws4_request`,
    'SignedHeaders=host;x-amz-date',
    'Signature=0',
  ];
  return {
    'content-type': 'application/x-amz-json-1.0',
    'content-length': String(bytes),
    'x-amz-date': '20260101T000000Z',
    'x-amz-target': target,
    authorization: `AWS4-HMAC-SHA256 ${parts.join(', ')}`,
  };
}
