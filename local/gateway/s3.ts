/** S3: asks the caller's role, then hands the request to the stand-in. */
import type { AccessRequest } from '../iam/policy.ts';
import type { RoleBook } from '../iam/roles.ts';
import type { QueuesAndBuckets } from '../queues/fauxqs.ts';
import { sendS3Error } from './answer.ts';
import type { GatewayRequest } from './request.ts';
import type { GatewayService } from './service.ts';
import { plain } from './sqs.ts';

export function s3Service(roles: RoleBook, standIn: QueuesAndBuckets): GatewayService {
  return {
    handle: async (request, res) => {
      const caller = roles.callerOf(request.accessKeyId);
      const sentence = roles.refusal(caller, s3Access(request));
      if (sentence !== undefined) return sendS3Error(res, 403, 'AccessDenied', sentence);
      const answer = await standIn.handle({
        method: request.method,
        url: request.url,
        headers: request.message.headers,
        body: request.body,
      });
      res.writeHead(answer.status, plain(answer.headers));
      res.end(request.method === 'HEAD' ? undefined : answer.body);
    },
  };
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
