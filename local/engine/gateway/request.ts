/** One request to the gateway: whole body, who signed it, and for which service. */
import type { IncomingMessage } from 'node:http';
import { gatewayBodyBytesMax } from '../../limits.ts';
import type { SpooledBody } from './spool.ts';

export type GatewayRequest = {
  readonly message: IncomingMessage;
  readonly method: string;
  /** Path and query as sent. */
  readonly url: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Empty when the body is in a file. */
  readonly body: Buffer;
  /** The body, when it is that of a large object. */
  readonly spooled?: SpooledBody;
  readonly accessKeyId: string | undefined;
  /** The region of the signature's scope. */
  readonly region: string | undefined;
  /** The service of the signature's scope, such as `dynamodb` or `iotdata`. */
  readonly service: string | undefined;
  /** `X-Amz-Target`, such as `DynamoDB_20120810.PutItem`. */
  readonly target: string;
};

/** Resolves to undefined when the body is larger than any service takes. */
export async function withBody(head: GatewayRequest): Promise<GatewayRequest | undefined> {
  const body = await readBody(head.message, gatewayBodyBytesMax);
  return body === undefined ? undefined : { ...head, body };
}

/** All but the body, which has not arrived. */
export function readHead(message: IncomingMessage): GatewayRequest {
  const url = message.url ?? '/';
  const mark = url.indexOf('?');
  const query = new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1));
  const scope = credentialScope(message.headers.authorization, query);
  return {
    message,
    method: message.method ?? 'GET',
    url,
    path: mark < 0 ? url : url.slice(0, mark),
    query,
    body: Buffer.alloc(0),
    accessKeyId: scope?.[0],
    region: scope?.[2],
    service: scope?.[3],
    target: String(message.headers['x-amz-target'] ?? ''),
  };
}

/**
 * `<key>/<date>/<region>/<service>/aws4_request` from the header or, for presigned URLs, the query.
 */
function credentialScope(
  authorization: string | undefined,
  query: URLSearchParams,
): string[] | undefined {
  const inHeader = /Credential=([^,\s]+)/.exec(authorization ?? '')?.[1];
  const scope = inHeader ?? query.get('X-Amz-Credential') ?? undefined;
  return scope?.split('/');
}

export function readBody(message: IncomingMessage, bytesMax: number): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    message.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= bytesMax) chunks.push(chunk);
    });
    message.on('end', () => resolve(bytes > bytesMax ? undefined : Buffer.concat(chunks)));
    message.on('error', reject);
  });
}
