import { PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import type { Outputs } from '../../core/ports/outputs.ts';
import { getObject, newBucketClient, removeUnder } from './bucket-objects.ts';

/** One object each, under the job. */
export function createOutputs(bucket: string, s3: S3Client = newBucketClient()): Outputs {
  return {
    async put(job, chunk, attempt, body, stream = 'stdout') {
      const end = stream === 'stdout' ? 'txt' : `${stream}.txt`;
      const key = `${prefixOf(job)}${String(chunk).padStart(8, '0')}.${attempt}.${end}`;
      const ContentType = 'text/plain; charset=utf-8';
      await s3.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: body, ContentType }));
      return key;
    },
    async putPart(job, chunk, { attempt, offset }, body) {
      const key = `${prefixOf(job)}${String(chunk).padStart(8, '0')}.${attempt}/${offset}`;
      await s3.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: body }));
      return key;
    },
    get: (key) => getObject(s3, bucket, key),
    removeAll: (job) => removeUnder(s3, bucket, prefixOf(job)),
  };
}

const prefixOf = (job: string): string => `outputs/${job}/`;
