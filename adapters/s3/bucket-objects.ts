import {
  DeleteObjectsCommand,
  type _Error as DeletionError,
  GetObjectCommand,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3';
import { clientConfig } from '../aws/client-config.ts';
import { objectsPerPageMax, outputPagesPerPurgeMax } from '../limits.ts';

/** What the bucket is asked for, whatever lies in it. */
export function newBucketClient(): S3Client {
  const forcePathStyle = process.env.AWS_ENDPOINT_URL_S3 !== undefined;
  return new S3Client({ ...clientConfig, forcePathStyle });
}

/** Byte for byte; `null`: it is gone. */
export async function getObject(
  s3: S3Client,
  Bucket: string,
  Key: string,
): Promise<Uint8Array | null> {
  try {
    const answer = await s3.send(new GetObjectCommand({ Bucket, Key }));
    return (await answer.Body?.transformToByteArray()) ?? new Uint8Array();
  } catch (error) {
    if (error instanceof Error && error.name === gone) return null;
    throw error;
  }
}

export async function removeUnder(s3: S3Client, Bucket: string, Prefix: string): Promise<void> {
  const wanted = { Bucket, Prefix, MaxKeys: objectsPerPageMax };
  for (let pages = 0; pages < outputPagesPerPurgeMax; pages++) {
    const page = await s3.send(new ListObjectsV2Command(wanted));
    const Objects = (page.Contents ?? []).flatMap(({ Key }) =>
      Key === undefined ? [] : [{ Key }],
    );
    if (Objects.length === 0) return;
    const Delete = { Objects, Quiet: true };
    const { Errors } = await s3.send(new DeleteObjectsCommand({ Bucket, Delete }));
    if (Errors?.[0] !== undefined) throw undeleted(Errors[0]);
  }
  throw unfinished(Prefix);
}

/**
 * S3 says so only to those who may list the bucket, as every function may that reads of it: to
 * others access is denied, and nobody could tell that from a right that is missing.
 */
const gone = 'NoSuchKey';

/** Objects that stay are named in a good answer; asking again and again would not end. */
function undeleted({ Code = 'InternalError', Key = '', Message = '' }: DeletionError): Error {
  return Object.assign(new Error(`${Key} was not deleted: ${Message}`), { name: Code });
}

/** Some were deleted; who asks again deletes more. */
function unfinished(prefix: string): Error {
  return Object.assign(new Error(`objects under ${prefix} are left`), { name: 'TimeoutError' });
}

const names = new Set(['NotFound', 'NoSuchKey', 'NoSuchBucket']);

export function isGone(error: unknown): boolean {
  return error instanceof Error && names.has(error.name);
}
