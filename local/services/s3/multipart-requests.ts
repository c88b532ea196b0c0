/**
 * Uploads in parts as S3 answers them
 * (https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html). The object's own sum is
 * that of the sums of its parts; a sum of the whole is declared, and not compared.
 */
import type { ServerResponse } from 'node:http';
import { sendS3Error, sendXml } from '../../engine/gateway/answer.ts';
import type { GatewayRequest } from '../../engine/gateway/request.ts';
import { xmlOf } from '../../engine/gateway/xml.ts';
import { listedPartsMax, partNumberMax } from '../../limits.ts';
import type { BucketStore, QueuesAndBuckets } from '../queues-and-buckets.ts';
import { bodyWithoutFrames } from './aws-chunked.ts';
import { base64 } from './checksums.ts';
import { completed, type UploadAnswer } from './complete-upload.ts';
import { bucketOf, keyOf, metadataOf } from './large-objects.ts';
import type { MultipartUpload, Part } from './multipart-uploads.ts';

/** Undefined for a request that is not about parts. */
export function multipartAnswer(
  request: GatewayRequest,
  standIn: QueuesAndBuckets,
): ((res: ServerResponse) => void) | undefined {
  const answer = answerOf(request);
  if (answer === undefined) return undefined;
  return (res) => {
    if (!standIn.buckets.hasBucket(bucketOf(request.path))) {
      return sendS3Error(res, 404, 'NoSuchBucket', 'The specified bucket does not exist');
    }
    return answer(request, res, standIn);
  };
}

type Answer = (request: GatewayRequest, res: ServerResponse, standIn: QueuesAndBuckets) => void;

function answerOf({ method, path, query }: GatewayRequest): Answer | undefined {
  const isUpload = query.has('uploadId');
  if (keyOf(path) === '') return method === 'GET' && query.has('uploads') ? listUploads : undefined;
  if (method === 'POST') {
    if (query.has('uploads')) return create;
    return isUpload ? ofUpload(completed) : undefined;
  }
  if (!isUpload) return undefined;
  if (method === 'PUT' && query.has('partNumber')) return ofUpload(putPart);
  if (method === 'GET') return ofUpload(listParts);
  return method === 'DELETE' ? ofUpload(abort) : undefined;
}

function ofUpload(answer: UploadAnswer): Answer {
  return (request, res, standIn) => {
    const id = request.query.get('uploadId') ?? '';
    const upload = standIn.uploads.find(id, bucketOf(request.path), keyOf(request.path));
    if (upload !== undefined) return answer(upload, request, res, standIn);
    const sentence =
      'The specified multipart upload does not exist. The upload ID may be invalid, or the ' +
      'upload may have been aborted or completed.';
    return sendS3Error(res, 404, 'NoSuchUpload', sentence);
  };
}

const namespace = 'http://s3.amazonaws.com/doc/2006-03-01/';

const create: Answer = (request, res, { uploads }) => {
  const { headers } = request.message;
  const header = (name: string): string | undefined => {
    const value = headers[name];
    return typeof value === 'string' ? value : undefined;
  };
  const algorithm = header('x-amz-checksum-algorithm')?.toUpperCase();
  const [bucket, key] = [bucketOf(request.path), keyOf(request.path)];
  const upload = uploads.create({
    bucket,
    key,
    contentType: header('content-type') ?? 'application/octet-stream',
    metadata: metadataOf(request),
    algorithm,
    checksumType: header('x-amz-checksum-type')?.toUpperCase(),
  });
  if (algorithm !== undefined) res.setHeader('x-amz-checksum-algorithm', algorithm);
  const fields = xmlOf('Bucket', bucket) + xmlOf('Key', key) + xmlOf('UploadId', upload.id);
  const name = 'InitiateMultipartUploadResult';
  sendXml(res, 200, `<${name} xmlns="${namespace}">${fields}</${name}>`);
};

const putPart: UploadAnswer = (upload, request, res, standIn) => {
  const { message, query, spooled } = request;
  const number = Number(query.get('partNumber'));
  if (!Number.isInteger(number) || number < 1 || number > partNumberMax) {
    const sentence = `Part number must be an integer between 1 and ${partNumberMax}, inclusive`;
    return sendS3Error(res, 400, 'InvalidArgument', sentence);
  }
  if (message.headers['x-amz-copy-source'] !== undefined) {
    return copyPart(upload, number, request, res, standIn);
  }
  const framed = String(message.headers['content-encoding'] ?? '').includes('aws-chunked');
  const { body, trailers } = framed
    ? bodyWithoutFrames(request.body)
    : { body: request.body, trailers: new Map<string, string>() };
  const declared =
    message.headers['x-amz-checksum-sha256'] ?? trailers.get('x-amz-checksum-sha256');
  if (upload.algorithm === 'SHA256' && declared === undefined) {
    const sentence =
      'Checksum Type mismatch occurred, expected checksum Type: sha256, actual checksum Type: null';
    return sendS3Error(res, 400, 'InvalidRequest', sentence);
  }
  const part = standIn.uploads.put(upload, number, spooled ?? body);
  if (declared !== undefined) res.setHeader('x-amz-checksum-sha256', base64(part.sha256));
  res.writeHead(200, { etag: `"${part.md5}"`, 'content-length': 0 }).end();
};

function copyPart(
  upload: MultipartUpload,
  number: number,
  { message: { headers } }: GatewayRequest,
  res: ServerResponse,
  { buckets, uploads }: QueuesAndBuckets,
): void {
  const source = decodeURIComponent(String(headers['x-amz-copy-source'])).replace(/^\//, '');
  const [bucket = '', ...key] = source.split('/');
  const whole = bodyOf(buckets, bucket, key.join('/'));
  if (whole === undefined) {
    sendS3Error(res, 404, 'NoSuchKey', 'The specified key does not exist.');
    return;
  }
  const range = /^bytes=(\d+)-(\d+)$/.exec(String(headers['x-amz-copy-source-range'] ?? ''));
  const body = range === null ? whole : whole.subarray(Number(range[1]), Number(range[2]) + 1);
  const part = uploads.put(upload, number, body);
  const fields =
    xmlOf('ETag', `"${part.md5}"`) + xmlOf('LastModified', part.storedAt.toISOString());
  sendXml(res, 200, `<CopyPartResult xmlns="${namespace}">${fields}</CopyPartResult>`);
}

function bodyOf(buckets: BucketStore, bucket: string, key: string): Buffer | undefined {
  try {
    return buckets.getObject(bucket, key).body;
  } catch {
    return undefined;
  }
}

const listParts: UploadAnswer = (upload, { query }, res, { uploads }) => {
  const after = Number(query.get('part-number-marker') ?? 0);
  const most = Math.min(Number(query.get('max-parts') ?? listedPartsMax), listedPartsMax);
  const all = uploads.parts(upload).filter(({ number }) => number > after);
  const some = all.slice(0, most);
  const isMore = all.length > some.length;
  const fields = {
    Bucket: upload.bucket,
    Key: upload.key,
    UploadId: upload.id,
    PartNumberMarker: after,
    NextPartNumberMarker: isMore ? some.at(-1)?.number : undefined,
    MaxParts: most,
    IsTruncated: isMore,
    ChecksumAlgorithm: upload.algorithm,
    ChecksumType: upload.algorithm === undefined ? undefined : (upload.checksumType ?? 'COMPOSITE'),
  };
  const parts = some.map((part) => xmlOf('Part', shownPart(upload, part))).join('');
  const name = 'ListPartsResult';
  sendXml(res, 200, `<${name} xmlns="${namespace}">${fieldsXml(fields)}${parts}</${name}>`);
};

const shownPart = ({ algorithm }: MultipartUpload, part: Part) => ({
  PartNumber: part.number,
  LastModified: part.storedAt.toISOString(),
  ETag: `"${part.md5}"`,
  Size: part.bytes,
  ChecksumSHA256: algorithm === 'SHA256' ? base64(part.sha256) : undefined,
  ChecksumCRC32: algorithm === 'CRC32' ? base64(part.crc32) : undefined,
});

const listUploads: Answer = ({ path, query }, res, { uploads }) => {
  const bucket = bucketOf(path);
  const prefix = query.get('prefix') ?? '';
  const afterKey = query.get('key-marker') ?? '';
  const afterId = query.get('upload-id-marker') ?? '';
  const most = Math.min(Number(query.get('max-uploads') ?? listedPartsMax), listedPartsMax);
  const all = uploads.list(bucket, prefix);
  const at = all.findIndex(({ key, id }) => key === afterKey && id === afterId);
  const rest = at < 0 ? all.filter(({ key }) => key > afterKey) : all.slice(at + 1);
  const some = rest.slice(0, most);
  const last = rest.length > some.length ? some.at(-1) : undefined;
  const fields = {
    Bucket: bucket,
    KeyMarker: afterKey,
    UploadIdMarker: afterId,
    NextKeyMarker: last?.key,
    NextUploadIdMarker: last?.id,
    Prefix: prefix,
    MaxUploads: most,
    IsTruncated: last !== undefined,
  };
  const shown = some.map(({ key, id, initiated, algorithm }) =>
    xmlOf('Upload', {
      Key: key,
      UploadId: id,
      Initiated: initiated.toISOString(),
      ChecksumAlgorithm: algorithm,
    }),
  );
  const name = 'ListMultipartUploadsResult';
  sendXml(
    res,
    200,
    `<${name} xmlns="${namespace}">${fieldsXml(fields)}${shown.join('')}</${name}>`,
  );
};

const abort: UploadAnswer = (upload, _request, res, { uploads }) => {
  uploads.abort(upload);
  res.writeHead(204).end();
};

const fieldsXml = (fields: Readonly<Record<string, string | number | boolean | undefined>>) =>
  Object.entries(fields)
    .map(([name, value]) => xmlOf(name, value))
    .join('');
