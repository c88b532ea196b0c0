import {
  DeleteObjectsCommand,
  type _Error as DeletionError,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import type { Outputs } from '../../core/ports/outputs.ts';

/** One object each, under the job. */
export function createOutputs(bucket: string, s3: S3Client = newClient()): Outputs {
  return {
    async put(job, chunk, attempt, body) {
      const key = `${prefixOf(job)}${String(chunk).padStart(8, '0')}.${attempt}.txt`;
      const ContentType = 'text/plain; charset=utf-8';
      await s3.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: body, ContentType }));
      return key;
    },
    async get(key) {
      try {
        const answer = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
        return (await answer.Body?.transformToString('utf8')) ?? '';
      } catch (error) {
        if (error instanceof Error && gone.has(error.name)) return null;
        throw error;
      }
    },
    async removeAll(job) {
      for (;;) {
        const page = await s3.send(
          new ListObjectsV2Command({ Bucket: bucket, Prefix: prefixOf(job), MaxKeys: 1_000 }),
        );
        const Objects = (page.Contents ?? []).flatMap(({ Key }) =>
          Key === undefined ? [] : [{ Key }],
        );
        if (Objects.length === 0) return;
        const Delete = { Objects, Quiet: true };
        const { Errors } = await s3.send(new DeleteObjectsCommand({ Bucket: bucket, Delete }));
        if (Errors?.[0] !== undefined) throw undeleted(Errors[0]);
      }
    },
  };
}

function newClient(): S3Client {
  return new S3Client({ forcePathStyle: process.env.AWS_ENDPOINT_URL_S3 !== undefined });
}

/**
 * Of an object that is gone S3 says so only to those who may list the bucket, and a function that
 * reads outputs may not: for it access is denied.
 */
const gone = new Set(['NoSuchKey', 'AccessDenied']);

/** Objects that stay are named in a good answer; asking again and again would not end. */
function undeleted({ Code = 'InternalError', Key = '', Message = '' }: DeletionError): Error {
  return Object.assign(new Error(`${Key} was not deleted: ${Message}`), { name: Code });
}

const prefixOf = (job: string): string => `outputs/${job}/`;
