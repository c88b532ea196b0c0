/** The end of an upload in parts: what is named is compared with what came, and is an object. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { sendS3Error, sendXml } from '../../engine/gateway/answer.ts';
import type { GatewayRequest } from '../../engine/gateway/request.ts';
import { xmlOf } from '../../engine/gateway/xml.ts';
import { objectInMemoryBytesMax, partBytesMin } from '../../limits.ts';
import type { QueuesAndBuckets } from '../queues-and-buckets.ts';
import { base64 } from './checksums.ts';
import type { MultipartUpload, Part } from './multipart-uploads.ts';
import type { StoredObject } from './object-files.ts';

export type UploadAnswer = (
  upload: MultipartUpload,
  request: GatewayRequest,
  res: ServerResponse,
  standIn: QueuesAndBuckets,
) => void;

export const completed: UploadAnswer = (upload, { body, message }, res, standIn) => {
  const named = namedParts(body.toString());
  const there = new Map(standIn.uploads.parts(upload).map((part) => [part.number, part]));
  const parts = named.flatMap(({ number }) => there.get(number) ?? []);
  const problem =
    orderProblem(named) ?? partProblem(upload, named, there) ?? sizeProblem(parts, message.headers);
  if (problem !== undefined) return sendS3Error(res, 400, problem.code, problem.sentence);
  const object = objectOf(upload, parts);
  keep(upload, parts, object, standIn);
  const sum = object.checksumValue;
  const fields =
    xmlOf('Location', `http://${message.headers.host}/${upload.bucket}/${upload.key}`) +
    xmlOf('Bucket', upload.bucket) +
    xmlOf('Key', upload.key) +
    xmlOf('ETag', object.etag) +
    (sum === undefined ? '' : xmlOf('ChecksumSHA256', sum) + xmlOf('ChecksumType', 'COMPOSITE'));
  const name = 'CompleteMultipartUploadResult';
  const namespace = 'http://s3.amazonaws.com/doc/2006-03-01/';
  sendXml(res, 200, `<${name} xmlns="${namespace}">${fields}</${name}>`);
};

type Named = { readonly number: number; readonly etag: string; readonly sha256?: string };
type Problem = { readonly code: string; readonly sentence: string };

function namedParts(xml: string): readonly Named[] {
  return [...xml.matchAll(/<Part>([\s\S]*?)<\/Part>/g)].map(([, part = '']) => {
    const field = (name: string): string | undefined =>
      new RegExp(`<${name}>([\\s\\S]*?)</${name}>`).exec(part)?.[1]?.replaceAll('&quot;', '"');
    const sha256 = field('ChecksumSHA256');
    const etag = (field('ETag') ?? '').replaceAll('"', '');
    return { number: Number(field('PartNumber')), etag, ...(sha256 && { sha256 }) };
  });
}

function orderProblem(named: readonly Named[]): Problem | undefined {
  if (named.length === 0) {
    const sentence = 'The XML you provided was not well-formed or did not validate.';
    return { code: 'MalformedXML', sentence };
  }
  const isOrdered = named.every(({ number }, at) => at === 0 || number > named[at - 1]!.number);
  if (isOrdered) return undefined;
  const sentence = 'The list of parts was not in ascending order.';
  return { code: 'InvalidPartOrder', sentence };
}

function partProblem(
  { algorithm }: MultipartUpload,
  named: readonly Named[],
  there: ReadonlyMap<number, Part>,
): Problem | undefined {
  for (const { number, etag, sha256 } of named) {
    const part = there.get(number);
    if (algorithm === 'SHA256' && sha256 === undefined) {
      const sentence =
        'The upload was created using a sha256 checksum. The complete request must include the ' +
        `checksum for each part. It was missing for part ${number} in the request.`;
      return { code: 'InvalidRequest', sentence };
    }
    const isThere = part?.md5 === etag;
    if (isThere && (sha256 === undefined || sha256 === base64(part.sha256))) continue;
    const sentence =
      'One or more of the specified parts could not be found. The part may not have been ' +
      "uploaded, or the specified entity tag may not match the part's entity tag.";
    return { code: 'InvalidPart', sentence };
  }
  return undefined;
}

function sizeProblem(
  parts: readonly Part[],
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Problem | undefined {
  if (parts.slice(0, -1).some(({ bytes }) => bytes < partBytesMin)) {
    const sentence = 'Your proposed upload is smaller than the minimum allowed size';
    return { code: 'EntityTooSmall', sentence };
  }
  const declared = headers['x-amz-mp-object-size'];
  const bytes = bytesOf(parts);
  if (declared === undefined || Number(declared) === bytes) return undefined;
  const sentence =
    `The provided 'x-amz-mp-object-size' header value ${declared} does not match what was ` +
    `computed: ${bytes}`;
  return { code: 'InvalidRequest', sentence };
}

const bytesOf = (parts: readonly Part[]): number =>
  parts.reduce((sum, { bytes }) => sum + bytes, 0);

function objectOf(upload: MultipartUpload, parts: readonly Part[]): StoredObject {
  const of = (name: 'md5' | 'sha256') =>
    createHash(name).update(Buffer.concat(parts.map((part) => Buffer.from(part[name], 'hex'))));
  const hasSum = upload.algorithm === 'SHA256';
  return {
    key: upload.key,
    body: Buffer.alloc(0),
    contentType: upload.contentType,
    contentLength: bytesOf(parts),
    etag: `"${of('md5').digest('hex')}-${parts.length}"`,
    lastModified: new Date(),
    metadata: upload.metadata,
    ...(hasSum && {
      checksumAlgorithm: 'SHA256' as const,
      checksumValue: `${of('sha256').digest('base64')}-${parts.length}`,
      checksumType: 'COMPOSITE' as const,
    }),
  };
}

/** A small one is the stand-in's own: its row would not know a name from a body. */
function keep(
  upload: MultipartUpload,
  parts: readonly Part[],
  object: StoredObject,
  { uploads, files }: QueuesAndBuckets,
): void {
  const path = join(files.directory, upload.id);
  uploads.complete(upload, parts, path);
  if (object.contentLength > objectInMemoryBytesMax) {
    files.put(upload.bucket, object, path);
    return;
  }
  const body = Buffer.concat(
    readdirSync(path)
      .sort()
      .map((name) => readFileSync(join(path, name))),
  );
  files.putSmall(upload.bucket, { ...object, body });
  rmSync(path, { recursive: true });
}
