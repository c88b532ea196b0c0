import {
  DeleteBucketCommand,
  DeleteObjectsCommand,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3';
import { bucketAddressing } from './account.ts';

/** Deletes all objects of a bucket; one that is gone has none. */
export async function emptyBucket(Bucket: string): Promise<void> {
  const client = new S3Client(bucketAddressing());
  try {
    for (;;) {
      const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket }));
      if (Contents.length === 0) return;
      const Objects = Contents.map(({ Key }) => ({ Key }));
      await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }));
    }
  } catch (error) {
    if (!isNoBucket(error)) throw error;
  } finally {
    client.destroy();
  }
}

export async function deleteBucket(Bucket: string): Promise<void> {
  await emptyBucket(Bucket);
  const client = new S3Client(bucketAddressing());
  try {
    await client.send(new DeleteBucketCommand({ Bucket }));
  } catch (error) {
    if (!isNoBucket(error)) throw error;
  } finally {
    client.destroy();
  }
}

function isNoBucket(error: unknown): boolean {
  return error instanceof Error && error.name === 'NoSuchBucket';
}
