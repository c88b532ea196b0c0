import { createHash } from 'node:crypto';
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  type Part,
  type S3Client,
} from '@aws-sdk/client-s3';
import { filePartBytes, filePartsMax, partAddressesMax } from '../../core/files/limits.ts';
import type { FileParts, Files } from '../../core/ports/files.ts';
import { completionsMax } from '../limits.ts';
import { type AddressOf, onlyBytesOf } from './bucket-addresses.ts';
import { isGone } from './bucket-objects.ts';

/**
 * Files as uploads in parts. S3 compares the SHA-256 of each part, and knows of the whole the sum
 * of those sums: it says whether what is stored under a digest is of the parts that are named.
 */
export function partedFiles({
  s3,
  bucket: Bucket,
  keyOf,
  addressOf,
}: {
  readonly s3: S3Client;
  readonly bucket: string;
  readonly keyOf: (space: string, digest: string) => string;
  readonly addressOf: AddressOf;
}): Pick<Files, 'findInParts' | 'storeInParts'> {
  const findInParts: Files['findInParts'] = async (space, digest, parts) => {
    try {
      const wanted = { Bucket, Key: keyOf(space, digest), ChecksumMode: 'ENABLED' as const };
      const found = await s3.send(new HeadObjectCommand(wanted));
      const { ChecksumSHA256, ContentLength = 0, LastModified } = found;
      const isSame = ChecksumSHA256 === base64(digest) || ChecksumSHA256 === sumOfSums(parts);
      if (!isSame) return null;
      return { bytes: ContentLength, storedAtMs: LastModified?.getTime() ?? 0 };
    } catch (error) {
      if (isGone(error)) return null;
      throw error;
    }
  };
  return {
    findInParts,
    async storeInParts(space, digest, parts, nowMs) {
      const Key = keyOf(space, digest);
      for (let attempt = 0; attempt < completionsMax; attempt++) {
        const uploadId = await uploadOf(s3, Bucket, Key);
        const there = await partsOf(s3, { Bucket, Key, UploadId: uploadId }, parts);
        const missing = parts.sums.flatMap((_, at) => (there.has(at + 1) ? [] : [at + 1]));
        const addresses = missing.slice(0, partAddressesMax).map((number) => {
          const query = { partNumber: String(number), uploadId };
          const headers = onlyBytesOf(parts.sums[number - 1]!);
          return { number, address: addressOf('PUT', Key, headers, nowMs, query) };
        });
        if (addresses.length > 0) return { uploadId, parts: addresses };
        if (await complete(s3, { Bucket, Key, UploadId: uploadId }, parts, there)) return null;
        // Somebody else has ended it, perhaps with the same parts.
        if ((await findInParts(space, digest, parts)) !== null) return null;
      }
      throw Object.assign(new Error(`${digest} is sent by several`), { name: 'TimeoutError' });
    },
  };
}

type Upload = { readonly Bucket: string; readonly Key: string; readonly UploadId: string };

/** The one that is under way, or a new one. */
async function uploadOf(s3: S3Client, Bucket: string, Key: string): Promise<string> {
  const listed = await s3.send(new ListMultipartUploadsCommand({ Bucket, Prefix: Key }));
  const found = listed.Uploads?.find((upload) => upload.Key === Key)?.UploadId;
  if (found !== undefined) return found;
  const sums = { ChecksumAlgorithm: 'SHA256', ChecksumType: 'COMPOSITE' } as const;
  const begun = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key, ...sums }));
  return begun.UploadId!;
}

/** Those that are there as they are named now; others may have been sent under the same name. */
async function partsOf(
  s3: S3Client,
  upload: Upload,
  { bytes, sums }: FileParts,
): Promise<ReadonlyMap<number, Part>> {
  const there = new Map<number, Part>();
  let listed: readonly Part[];
  try {
    const MaxParts = filePartsMax;
    listed = (await s3.send(new ListPartsCommand({ ...upload, MaxParts }))).Parts ?? [];
  } catch (error) {
    // Ended or given up since it was found.
    if (isNoUpload(error)) return there;
    throw error;
  }
  for (const part of listed) {
    const number = part.PartNumber ?? 0;
    const sum = sums[number - 1];
    const size = Math.min(filePartBytes, bytes - (number - 1) * filePartBytes);
    if (sum !== undefined && part.ChecksumSHA256 === base64(sum) && part.Size === size) {
      there.set(number, part);
    }
  }
  return there;
}

/** False: somebody else has ended it, or sent another part meanwhile. */
async function complete(
  s3: S3Client,
  upload: Upload,
  { bytes, sums }: FileParts,
  there: ReadonlyMap<number, Part>,
): Promise<boolean> {
  const Parts = sums.map((sum, at) => {
    return { PartNumber: at + 1, ETag: there.get(at + 1)?.ETag, ChecksumSHA256: base64(sum) };
  });
  const asked = { ...upload, MultipartUpload: { Parts }, MpuObjectSize: bytes };
  try {
    await s3.send(new CompleteMultipartUploadCommand(asked));
    return true;
  } catch (error) {
    if (isNoUpload(error) || (error instanceof Error && error.name === 'InvalidPart')) return false;
    throw error;
  }
}

/** As S3 says it of an object in parts. */
function sumOfSums({ sums }: FileParts): string {
  const all = Buffer.concat(sums.map((sum) => Buffer.from(sum, 'hex')));
  return `${createHash('sha256').update(all).digest('base64')}-${sums.length}`;
}

const base64 = (hex: string): string => Buffer.from(hex, 'hex').toString('base64');

function isNoUpload(error: unknown): boolean {
  return error instanceof Error && error.name === 'NoSuchUpload';
}
