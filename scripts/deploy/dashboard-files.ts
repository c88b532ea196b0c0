import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { bucketAddressing } from './account.ts';
import { contentTypes } from './media-type.ts';

/**
 * Fills the bucket of the dashboard with what was built: what is there as it is stays, the page
 * that names the other files comes last, and old files stay for pages that are still open.
 */
export async function publishDashboard(directory: string, bucket: string): Promise<number> {
  const client = new S3Client(bucketAddressing());
  const there = await hashesIn(client, bucket);
  const names = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
    .sort((one, other) => Number(isPage(one)) - Number(isPage(other)));
  let published = 0;
  for (const Key of names) {
    const Body = readFileSync(join(directory, Key));
    if (there.get(Key) === createHash('md5').update(Body).digest('hex')) continue;
    const ContentType = contentTypes[extname(Key)] ?? 'application/octet-stream';
    await client.send(new PutObjectCommand({ Bucket: bucket, Key, Body, ContentType }));
    published++;
  }
  client.destroy();
  return published;
}

function isPage(name: string): boolean {
  return extname(name) === '.html';
}

async function hashesIn(client: S3Client, Bucket: string): Promise<ReadonlyMap<string, string>> {
  const hashes = new Map<string, string>();
  let ContinuationToken: string | undefined;
  do {
    const page = await client.send(new ListObjectsV2Command({ Bucket, ContinuationToken }));
    for (const { Key = '', ETag = '' } of page.Contents ?? []) {
      hashes.set(Key, ETag.replaceAll('"', ''));
    }
    ContinuationToken = page.NextContinuationToken;
  } while (ContinuationToken !== undefined);
  return hashes;
}
