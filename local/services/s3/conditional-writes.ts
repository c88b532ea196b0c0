/**
 * Writes of objects with a condition
 * (https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html):
 * `If-None-Match: *` for an object that must not be there yet, `If-Match` for one that must still
 * be what was read. The stand-in does not look at them, so they are decided here, one write of a
 * key at a time.
 */
import type { GatewayRequest } from '../../engine/gateway/request.ts';
import type { BucketStore } from '../queues-and-buckets.ts';

type Refused = {
  readonly kind: 'refused';
  readonly status: number;
  readonly code: string;
  readonly message: string;
};

type Begun = { readonly kind: 'begun'; end(): void };

export type ConditionalWrites = {
  /** To be asked before a request is handed on; `end` once it was answered. */
  begin(request: GatewayRequest): Refused | Begun;
};

export function conditionalWrites(buckets: BucketStore): ConditionalWrites {
  const underway = new Set<string>();
  return {
    begin(request) {
      const { headers } = request.message;
      const [unless, only] = [headers['if-none-match'], headers['if-match']];
      if (!isWrite(request) || (unless === undefined && only === undefined)) return free;
      if (underway.has(request.path)) return conflict;
      const etag = etagOf(buckets, request);
      const refused = problemOf(etag, unless, only);
      if (refused !== undefined) return refused;
      underway.add(request.path);
      return { kind: 'begun', end: () => void underway.delete(request.path) };
    },
  };
}

function problemOf(
  etag: string | undefined,
  unless: string | undefined,
  only: string | undefined,
): Refused | undefined {
  if (unless !== undefined && unless !== '*') return notImplemented;
  if (unless === '*' && etag !== undefined) return failed('If-None-Match');
  if (only === undefined) return undefined;
  if (etag === undefined) return noSuchKey;
  return bare(only) === bare(etag) ? undefined : failed('If-Match');
}

/** PutObject, CopyObject and the end of an upload in parts; a part itself has no condition. */
function isWrite({ method, query }: GatewayRequest): boolean {
  if (method === 'PUT') return !query.has('partNumber');
  return method === 'POST' && query.has('uploadId');
}

function etagOf(buckets: BucketStore, { path }: GatewayRequest): string | undefined {
  const [bucket = '', ...key] = decodeURIComponent(path).slice(1).split('/');
  try {
    return buckets.headObject(bucket, key.join('/')).etag;
  } catch {
    return undefined;
  }
}

const bare = (etag: string): string => etag.replaceAll('"', '');

const free: Begun = { kind: 'begun', end: () => undefined };

const refusal = (status: number, code: string, message: string): Refused => ({
  kind: 'refused',
  status,
  code,
  message,
});

const failed = (header: string): Refused =>
  refusal(
    412,
    'PreconditionFailed',
    `At least one of the pre-conditions you specified did not hold: ${header}`,
  );

const conflict = refusal(
  409,
  'ConditionalRequestConflict',
  'The conditional request cannot succeed due to a conflicting operation against this resource.',
);

const noSuchKey = refusal(404, 'NoSuchKey', 'The specified key does not exist.');

const notImplemented = refusal(
  501,
  'NotImplemented',
  'A header you provided implies functionality that is not implemented: If-None-Match takes *.',
);
