/**
 * S3: asks the caller's role, then hands the request to the stand-in. An operation that the
 * stand-in does not know is refused here: by its query it would be taken for another one, and
 * setting the tags of an object would overwrite it.
 */
import { rmSync } from 'node:fs';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { sendS3Error, sendXml } from '../../engine/gateway/answer.ts';
import type { GatewayRequest } from '../../engine/gateway/request.ts';
import type { GatewayService, Offer } from '../../engine/gateway/service.ts';
import { refuseOperation } from '../../engine/gateway/unknown-operation.ts';
import type { Caller } from '../iam/identity.ts';
import type { AccessRequest } from '../iam/policy.ts';
import type { RoleBook } from '../iam/roles.ts';
import type { QueuesAndBuckets } from '../queues-and-buckets.ts';
import { plain } from '../sqs/gateway.ts';
import { checksumProblem } from './checksums.ts';
import { conditionalWrites } from './conditional-writes.ts';
import { isLargePut, largeGet, putLarge } from './large-objects.ts';
import { multipartAnswer } from './multipart-requests.ts';

/** Parts of buckets and objects that S3 has and the local cloud has not. */
const missingParts = new Set([
  'accelerate',
  'acl',
  'analytics',
  'cors',
  'encryption',
  'intelligent-tiering',
  'inventory',
  'legal-hold',
  'logging',
  'metadataConfiguration',
  'metadataTable',
  'metrics',
  'notification',
  'object-lock',
  'ownershipControls',
  'policy',
  'policyStatus',
  'publicAccessBlock',
  'replication',
  'requestPayment',
  'restore',
  'retention',
  'select',
  'session',
  'tagging',
  'torrent',
  'versioning',
  'versions',
  'website',
]);

const methods = new Set(['GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'OPTIONS']);

const offer: Offer = {
  operations: [
    ...['ListBuckets', 'CreateBucket', 'DeleteBucket', 'HeadBucket', 'GetBucketLocation'],
    ...[
      'GetBucketLifecycleConfiguration',
      'PutBucketLifecycleConfiguration',
      'PutObject',
      'CopyObject',
      'GetObject',
      'HeadObject',
    ],
    ...['DeleteObject', 'DeleteObjects', 'ListObjects', 'ListObjectsV2'],
    ...['CreateMultipartUpload', 'UploadPart', 'UploadPartCopy', 'CompleteMultipartUpload'],
    ...['AbortMultipartUpload', 'ListParts', 'ListMultipartUploads'],
  ],
  instead: 'All other settings of buckets come from the template.',
};

export function s3Service(
  roles: RoleBook,
  standIn: QueuesAndBuckets,
  region: string,
): GatewayService {
  const conditionals = conditionalWrites(standIn.buckets);
  return {
    ...offer,
    targets: [],
    spoolDirectory: (head) =>
      isLargePut(head) && !isMissing(head) ? standIn.files.directory : undefined,
    handle: async (request, res) => {
      const { spooled } = request;
      await answer(request, res).finally(() => {
        if (spooled !== undefined && !res.statusCode.toString().startsWith('2')) {
          rmSync(spooled.path, { force: true });
        }
      });
    },
  };

  async function answer(request: GatewayRequest, res: ServerResponse): Promise<void> {
    if (isMissing(request)) {
      return refuseOperation(request, res, offer, `${request.method} ${request.url}`);
    }
    if (!methods.has(request.method)) {
      const message = 'The specified method is not allowed against this resource.';
      sendS3Error(res, 405, 'MethodNotAllowed', message);
      return;
    }
    const caller = roles.callerOf(request.accessKeyId);
    const sentence = roles.refusal(caller, s3Access(request));
    if (sentence !== undefined) return sendS3Error(res, 403, 'AccessDenied', sentence);
    const bucket = bucketOnly(request);
    if (bucket !== undefined && standIn.buckets.hasBucket(bucket)) {
      if (request.method === 'GET' && request.query.has('location')) {
        sendLocation(res, region);
        return;
      }
      // "In all AWS Regions except in the North Virginia Region."
      if (request.method === 'PUT' && region !== 'us-east-1' && request.query.size === 0) {
        const message =
          'Your previous request to create the named bucket succeeded and you already own it.';
        sendS3Error(res, 409, 'BucketAlreadyOwnedByYou', message);
        return;
      }
    }
    const otherBytes = isUpload(request) ? checksumProblem(request) : undefined;
    if (otherBytes !== undefined) return sendS3Error(res, 400, 'BadDigest', otherBytes);
    const condition = conditionals.begin(request);
    if (condition.kind === 'refused') {
      return sendS3Error(res, condition.status, condition.code, condition.message);
    }
    const ofParts = multipartAnswer(request, standIn);
    if (ofParts !== undefined) {
      ofParts(res);
      condition.end();
      return;
    }
    if (request.spooled !== undefined) {
      putLarge(request, res, standIn);
      condition.end();
      return;
    }
    const sendLarge = largeGet(request, standIn);
    if (sendLarge !== undefined) return sendLarge(res).finally(condition.end);
    const given = await standIn
      .handle({
        method: request.method,
        url: request.url,
        headers: typed(request),
        body: request.body,
      })
      .finally(condition.end);
    const hidden = given.status === 404 ? whyHidden(roles, caller, request) : undefined;
    if (hidden !== undefined) return sendS3Error(res, 403, 'AccessDenied', hidden);
    res.writeHead(given.status, plain(given.headers));
    res.end(request.method === 'HEAD' ? undefined : given.body);
  }
}

/**
 * Without a type the stand-in sees no body of an object, not even an empty one; a form it would
 * read as one, as it has to for SNS.
 */
function typed({ method, message: { headers } }: GatewayRequest): IncomingHttpHeaders {
  if (method !== 'PUT') return headers;
  const given = headers['content-type'];
  const isRead = given === undefined || given.startsWith('application/x-www-form-urlencoded');
  return isRead ? { ...headers, 'content-type': 'application/octet-stream' } : headers;
}

/** Of an object or of a part of one, and not of settings or a copy. */
function isUpload({ method, message, path }: GatewayRequest): boolean {
  if (method !== 'PUT' || path.split('/').length < 3) return false;
  return message.headers['x-amz-copy-source'] === undefined;
}

/**
 * "If the object you request doesn't exist, the error that Amazon S3 returns depends on whether you
 * also have the s3:ListBucket permission": without it, access to the object is denied
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html).
 */
function whyHidden(roles: RoleBook, caller: Caller, request: GatewayRequest): string | undefined {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const [bucket = '', key = ''] = request.path.slice(1).split('/');
  if (!isRead || key === '') return undefined;
  const resource = `arn:aws:s3:::${decodeURIComponent(bucket)}`;
  return roles.whyNot(caller, { action: 's3:ListBucket', resource });
}

function isMissing(request: GatewayRequest): boolean {
  return [...request.query.keys()].some((name) => missingParts.has(name));
}

/** The bucket of a request that is about a bucket and not about an object in it. */
function bucketOnly(request: GatewayRequest): string | undefined {
  return /^\/([^/]+)\/?$/.exec(request.path)?.[1];
}

/** "Buckets in Region us-east-1 have a LocationConstraint of null." */
function sendLocation(res: ServerResponse, region: string): void {
  const place = region === 'us-east-1' ? '' : region;
  const namespace = 'http://s3.amazonaws.com/doc/2006-03-01/';
  const xml = `<LocationConstraint xmlns="${namespace}">${place}</LocationConstraint>`;
  sendXml(res, 200, xml);
}

/**
 * The permissions of an S3 request
 * (https://docs.aws.amazon.com/AmazonS3/latest/userguide/using-with-s3-policy-actions.html).
 */
export function s3Access(request: GatewayRequest): AccessRequest[] {
  const [bucket = '', ...rest] = decodeURIComponent(request.path).slice(1).split('/');
  const key = rest.join('/');
  const object = `arn:aws:s3:::${bucket}/${key}`;
  if (bucket === '') return [{ action: 's3:ListAllMyBuckets', resource: '*' }];
  if (key === '') return [bucketAccess(request, `arn:aws:s3:::${bucket}`)];
  const has = (name: string): boolean => request.query.has(name);
  switch (request.method) {
    case 'GET':
    case 'HEAD':
      if (has('uploadId')) return [{ action: 's3:ListMultipartUploadParts', resource: object }];
      if (has('tagging')) return [{ action: 's3:GetObjectTagging', resource: object }];
      return [{ action: 's3:GetObject', resource: object }];
    case 'DELETE':
      if (has('uploadId')) return [{ action: 's3:AbortMultipartUpload', resource: object }];
      return [{ action: 's3:DeleteObject', resource: object }];
    default: {
      const source = request.message.headers['x-amz-copy-source'];
      const put = { action: 's3:PutObject', resource: object };
      if (source === undefined) return [put];
      const from = decodeURIComponent(String(source)).replace(/^\//, '');
      return [put, { action: 's3:GetObject', resource: `arn:aws:s3:::${from}` }];
    }
  }
}

function bucketAccess(request: GatewayRequest, resource: string): AccessRequest {
  const { method, query } = request;
  if (query.has('lifecycle')) {
    const verb = method === 'GET' ? 'Get' : 'Put';
    return { action: `s3:${verb}LifecycleConfiguration`, resource };
  }
  if (method === 'PUT') return { action: 's3:CreateBucket', resource };
  if (method === 'DELETE') return { action: 's3:DeleteBucket', resource };
  if (method === 'POST' && query.has('delete')) {
    return { action: 's3:DeleteObject', resource: `${resource}/*` };
  }
  if (query.has('location')) return { action: 's3:GetBucketLocation', resource };
  if (query.has('uploads')) return { action: 's3:ListBucketMultipartUploads', resource };
  const prefix = query.get('prefix');
  const context = prefix === null ? {} : { context: { 's3:prefix': prefix } };
  return { action: 's3:ListBucket', resource, ...context };
}
