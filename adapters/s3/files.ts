import {
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import type { Files, ResultFiles, StoredNote } from '../../core/ports/files.ts';
import { addressesIn, onlyBytesOf, type Signing } from './bucket-addresses.ts';
import { isGone, newBucketClient, removeUnder } from './bucket-objects.ts';
import { partedFiles } from './parted-files.ts';

/**
 * Files of jobs in a bucket, one object each, under the space that they belong to. Bytes go
 * straight between the bucket and who has an address; S3 itself compares them with the digest.
 */
export type FilesOptions = {
  readonly bucket: string;
  /** What jobs need, or what they left. */
  readonly kind?: 'files' | 'results';
  readonly s3?: S3Client;
} & Signing;

export function createFiles(options: FilesOptions): Files {
  const { bucket, kind = 'files', s3 = newBucketClient(), ...signing } = options;
  const addressOf = addressesIn(bucket, signing);
  const keyOf = (space: string, digest: string): string => `${kind}/${space}/${digest}`;
  const noteKeyOf = (space: string, digest: string, name: string): string =>
    `${keyOf(space, digest)}.${name}`;
  return {
    async find(space, digest) {
      try {
        const wanted = { Bucket: bucket, Key: keyOf(space, digest) };
        const { ContentLength, LastModified } = await s3.send(new HeadObjectCommand(wanted));
        return { bytes: ContentLength ?? 0, storedAtMs: LastModified?.getTime() ?? 0 };
      } catch (error) {
        if (isGone(error)) return null;
        throw error;
      }
    },
    read: (space, digest, bytesMax) => readSmall(s3, bucket, keyOf(space, digest), bytesMax),
    async readPart(space, digest, from, to) {
      return (await readBytes(s3, bucket, keyOf(space, digest), from, to))?.bytes ?? null;
    },
    async readNote(space, digest, name, bytesMax) {
      const key = noteKeyOf(space, digest, name);
      const note = await readBytes(s3, bucket, key, 0, bytesMax + 1);
      return note === null || note.bytes.length > bytesMax ? null : note;
    },
    async keepNote(space, digest, name, Body) {
      const Key = noteKeyOf(space, digest, name);
      await s3.send(new PutObjectCommand({ Bucket: bucket, Key, Body }));
    },
    uploadAddress(space, digest, nowMs) {
      return addressOf('PUT', keyOf(space, digest), onlyBytesOf(digest), nowMs);
    },
    downloadAddress(space, digest, nowMs) {
      return addressOf('GET', keyOf(space, digest), {}, nowMs);
    },
    ...partedFiles({ s3, bucket, keyOf, addressOf }),
  };
}

export function createResultFiles(options: Omit<FilesOptions, 'kind'>): ResultFiles {
  const { bucket, s3 = newBucketClient() } = options;
  return {
    ...createFiles({ ...options, s3, kind: 'results' }),
    removeAll: (space) => removeUnder(s3, bucket, `results/${space}/`),
  };
}

/** All of a small object; `null` when it is not there, or larger. */
export async function readSmall(
  s3: S3Client,
  bucket: string,
  key: string,
  bytesMax: number,
): Promise<Uint8Array | null> {
  const bytes = (await readBytes(s3, bucket, key, 0, bytesMax + 1))?.bytes ?? null;
  return bytes === null || bytes.length > bytesMax ? null : bytes;
}

async function readBytes(
  s3: S3Client,
  Bucket: string,
  Key: string,
  from: number,
  to: number,
): Promise<StoredNote | null> {
  try {
    const wanted = { Bucket, Key, Range: `bytes=${from}-${to - 1}` };
    const { Body, LastModified } = await s3.send(new GetObjectCommand(wanted));
    const bytes = (await Body?.transformToByteArray()) ?? new Uint8Array();
    return { bytes, storedAtMs: LastModified?.getTime() ?? 0 };
  } catch (error) {
    if (isGone(error) || isDenied(error)) return null;
    // Of an empty file there is no first byte, and behind the last one there is none.
    if (!(error instanceof Error) || error.name !== 'InvalidRange') throw error;
    return { bytes: new Uint8Array(), storedAtMs: 0 };
  }
}

/** S3 says that an object is gone only to those who may list the bucket. */
function isDenied(error: unknown): boolean {
  return error instanceof Error && error.name === 'AccessDenied';
}
