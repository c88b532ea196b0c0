import {
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import type { Outputs } from '../../core/ports/outputs.ts';

/** One object each, under the job. */
export function createOutputs(bucket: string): Outputs {
  const s3 = new S3Client({
    forcePathStyle: process.env.AWS_ENDPOINT_URL_S3 !== undefined,
  });
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
        if (error instanceof Error && error.name === 'NoSuchKey') return null;
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
        await s3.send(new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects } }));
      }
    },
  };
}

const prefixOf = (job: string): string => `outputs/${job}/`;
