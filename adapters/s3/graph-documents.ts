import { DeleteObjectsCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import type { GraphDocuments } from '../../core/ports/clusters.ts';
import { addressesIn, onlyBytesOf } from './bucket-addresses.ts';
import { getObject, newBucketClient, removeUnder } from './bucket-objects.ts';
import { type FilesOptions, readSmall } from './files.ts';

/** Graphs as they were sent, one object each, under their cluster. */
export function createGraphDocuments(
  bucket: string,
  s3: S3Client = newBucketClient(),
  signing: Pick<FilesOptions, 'endpoint' | 'credentials'> = {},
): GraphDocuments {
  const addressOf = addressesIn(bucket, signing);
  return {
    uploadAddress(edge, digest, nowMs) {
      return addressOf('PUT', uploadKeyOf(edge, digest), onlyBytesOf(digest), nowMs);
    },
    uploaded: (edge, digest, bytesMax) =>
      readSmall(s3, bucket, uploadKeyOf(edge, digest), bytesMax),
    async put(edge, hash, document) {
      const [Key, ContentType] = [keyOf(edge, hash), 'application/json'];
      await s3.send(new PutObjectCommand({ Bucket: bucket, Key, Body: document, ContentType }));
    },
    get: (edge, hash) => getObject(s3, bucket, keyOf(edge, hash)),
    async remove(edge, hash) {
      const Delete = { Objects: [{ Key: keyOf(edge, hash) }], Quiet: true };
      await s3.send(new DeleteObjectsCommand({ Bucket: bucket, Delete }));
    },
    removeAll: (edge) => removeUnder(s3, bucket, prefixOf(edge)),
  };
}

const prefixOf = (edge: string): string => `graphs/${edge}/`;
/** Gone after a day: what was read is kept as the graph. */
const uploadKeyOf = (edge: string, digest: string): string => `graph-uploads/${edge}/${digest}`;
const keyOf = (edge: string, hash: string): string => `${prefixOf(edge)}${hash}.json`;
