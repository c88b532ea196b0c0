/** Uploads in parts, as the official SDK sends them. */
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  type S3Client,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { partBytesMin } from '../../../limits.ts';
import { type NotesClients, notesClients } from '../../notes-clients.ts';
import { type NotesCloud, startNotes } from '../../notes-cloud.ts';
import { temporaryDir } from '../../temporary-dir.ts';

const whole = randomBytes(2 * partBytesMin + 1_234);
const pieces = [0, 1, 2].map((at) => whole.subarray(at * partBytesMin, (at + 1) * partBytesMin));

let stateDir: string;
let cloud: NotesCloud;
let clients: NotesClients;
let buckets: S3Client;
let Bucket: string;

async function open(): Promise<void> {
  cloud = await startNotes({ stateDir });
  clients = notesClients(cloud);
  buckets = clients.buckets;
  Bucket = cloud.output('BucketName');
}

async function close(): Promise<void> {
  clients.close();
  await cloud.stop();
}

beforeAll(async () => {
  stateDir = temporaryDir();
  await open();
});

afterAll(async () => {
  await close();
  rmSync(stateDir, { recursive: true });
});

afterEach(() => {
  expect(kept('uploads')).toEqual([]);
  expect(kept('objects')).toEqual([]);
});

const kept = (name: string): string[] => readdirSync(join(stateDir, 'queues', name));

const sumOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('base64');

async function begin(Key: string, more: object = {}): Promise<string> {
  const asked = { Bucket, Key, ChecksumAlgorithm: 'SHA256' as const, ...more };
  return (await buckets.send(new CreateMultipartUploadCommand(asked))).UploadId!;
}

/** Parts by number, as they are named at the end. */
async function putParts(Key: string, UploadId: string, numbers = [1, 2, 3]) {
  const parts = [];
  for (const PartNumber of numbers) {
    const Body = pieces[PartNumber - 1]!;
    const ChecksumSHA256 = sumOf(Body);
    const sent = { Bucket, Key, UploadId, PartNumber, Body, ChecksumSHA256 };
    const { ETag } = await buckets.send(new UploadPartCommand(sent));
    parts.push({ PartNumber, ETag, ChecksumSHA256 });
  }
  return parts;
}

const complete = (Key: string, UploadId: string, Parts: object[], more: object = {}) =>
  buckets.send(
    new CompleteMultipartUploadCommand({
      ...{ Bucket, Key, UploadId, MultipartUpload: { Parts }, ...more },
    }),
  );

async function bytesOf(Key: string, Range?: string): Promise<Buffer> {
  const { Body } = await buckets.send(new GetObjectCommand({ Bucket, Key, Range }));
  return Buffer.from((await Body?.transformToByteArray()) ?? []);
}

const abort = (Key: string, UploadId: string) =>
  buckets.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }));

const remove = (Key: string) => buckets.send(new DeleteObjectCommand({ Bucket, Key }));

test('parts become an object that is read whole and in part, with the sum of their sums', async () => {
  const Key = 'in/parts';
  const UploadId = await begin(Key, { Metadata: { of: 'me' } });
  const parts = await putParts(Key, UploadId, [3, 1, 2]);
  const inOrder = parts.toSorted((a, b) => a.PartNumber - b.PartNumber);
  const done = await complete(Key, UploadId, inOrder, { MpuObjectSize: whole.length });
  const sums = Buffer.concat(pieces.map((piece) => Buffer.from(sumOf(piece), 'base64')));
  const composite = `${sumOf(sums)}-3`;
  expect(done).toMatchObject({ Key, ChecksumSHA256: composite, ChecksumType: 'COMPOSITE' });
  expect(done.ETag).toMatch(/^"[0-9a-f]{32}-3"$/);
  expect((await bytesOf(Key)).equals(whole)).toBe(true);
  const [from, to] = [partBytesMin - 3, 2 * partBytesMin + 5];
  const middle = await bytesOf(Key, `bytes=${from}-${to}`);
  expect(middle.equals(whole.subarray(from, to + 1))).toBe(true);
  expect((await bytesOf(Key, 'bytes=-7')).equals(whole.subarray(-7))).toBe(true);
  const head = new HeadObjectCommand({ Bucket, Key, ChecksumMode: 'ENABLED' });
  expect(await buckets.send(head)).toMatchObject({
    ...{ ContentLength: whole.length, ChecksumSHA256: composite, Metadata: { of: 'me' } },
  });
  const copied = { Bucket, Key: 'copy', CopySource: `${Bucket}/${Key}` };
  await buckets.send(new CopyObjectCommand(copied));
  expect((await bytesOf('copy')).equals(whole)).toBe(true);
  await remove('copy');
  await remove(Key);
});

test('an upload under way is found, goes on after a restart, and can be given up', async () => {
  const Key = 'going/on';
  const UploadId = await begin(Key);
  await putParts(Key, UploadId, [1, 2]);
  await putParts(Key, UploadId, [2]);
  await close();
  await open();
  const uploads = await buckets.send(new ListMultipartUploadsCommand({ Bucket, Prefix: Key }));
  expect(uploads.Uploads).toMatchObject([{ Key, UploadId }]);
  const listed = { Bucket, Key, UploadId };
  const { Parts, IsTruncated } = await buckets.send(
    new ListPartsCommand({ ...listed, MaxParts: 1 }),
  );
  expect(Parts).toMatchObject([
    { PartNumber: 1, Size: partBytesMin, ChecksumSHA256: sumOf(pieces[0]!) },
  ]);
  expect(IsTruncated).toBe(true);
  const rest = await buckets.send(new ListPartsCommand({ ...listed, PartNumberMarker: '1' }));
  expect(rest.Parts).toMatchObject([{ PartNumber: 2, ChecksumSHA256: sumOf(pieces[1]!) }]);
  const parts = [...Parts!, ...rest.Parts!, ...(await putParts(Key, UploadId, [3]))];
  const named = parts.map(({ PartNumber, ETag, ChecksumSHA256 }) => ({
    ...{ PartNumber, ETag, ChecksumSHA256 },
  }));
  await complete(Key, UploadId, named);
  expect((await bytesOf(Key)).equals(whole)).toBe(true);
  await remove(Key);
  const again = await begin(Key);
  await putParts(Key, again, [1]);
  await abort(Key, again);
  await expect(putParts(Key, again, [2])).rejects.toMatchObject({ name: 'NoSuchUpload' });
  await expect(abort(Key, again)).rejects.toMatchObject({ name: 'NoSuchUpload' });
  await expect(bytesOf(Key)).rejects.toMatchObject({ name: 'NoSuchKey' });
});

test('what is not as it was declared is refused, and leaves the upload as it was', async () => {
  const Key = 'refused';
  const UploadId = await begin(Key);
  const sent = { Bucket, Key, UploadId, PartNumber: 1 };
  const flipped = Buffer.from(pieces[0]!);
  flipped[7] = flipped[7]! ^ 1;
  const other = { ...sent, Body: flipped, ChecksumSHA256: sumOf(pieces[0]!) };
  await expect(buckets.send(new UploadPartCommand(other))).rejects.toMatchObject({
    name: 'BadDigest',
  });
  const parts = await putParts(Key, UploadId);
  const [first, second, third] = parts as [object, object, object];
  const end = (named: object[], more = {}) => complete(Key, UploadId, named, more);
  await expect(end([second, first, third])).rejects.toMatchObject({ name: 'InvalidPartOrder' });
  const foreign = { ...first, ETag: `"${'0'.repeat(32)}"` };
  await expect(end([foreign, second])).rejects.toMatchObject({ name: 'InvalidPart' });
  const otherSum = { ...first, ChecksumSHA256: sumOf(flipped) };
  await expect(end([otherSum, second])).rejects.toMatchObject({ name: 'InvalidPart' });
  const sumless = { PartNumber: 1, ETag: parts[0]?.ETag };
  await expect(end([sumless])).rejects.toMatchObject({ name: 'InvalidRequest' });
  const short = end(parts, { MpuObjectSize: whole.length - 1 });
  await expect(short).rejects.toMatchObject({ name: 'InvalidRequest' });
  const tooHigh = new UploadPartCommand({ ...sent, PartNumber: 10_001, Body: 'x' });
  await expect(buckets.send(tooHigh)).rejects.toMatchObject({ name: 'InvalidArgument' });
  await expect(bytesOf(Key)).rejects.toMatchObject({ name: 'NoSuchKey' });
  const small = new UploadPartCommand({
    ...sent,
    Body: 'x',
    ChecksumSHA256: sumOf(Buffer.from('x')),
  });
  const { ETag, ChecksumSHA256 } = await buckets.send(small);
  const tooSmall = end([{ PartNumber: 1, ETag, ChecksumSHA256 }, second]);
  await expect(tooSmall).rejects.toMatchObject({ name: 'EntityTooSmall' });
  await end([{ PartNumber: 1, ETag, ChecksumSHA256 }]);
  expect((await bytesOf(Key)).toString()).toBe('x');
  await remove(Key);
});

test('parts that are copied, or declare no sum, are an object all the same', async () => {
  const Key = 'plain';
  const asked = new CreateMultipartUploadCommand({ Bucket, Key });
  const { UploadId } = await buckets.send(asked);
  const sent = { Bucket, Key, UploadId, PartNumber: 1, Body: pieces[0]! };
  const { ETag } = await buckets.send(new UploadPartCommand(sent));
  const first = [{ PartNumber: 1, ETag }];
  await complete(Key, UploadId!, first);
  const copy = await begin('copied', { ChecksumAlgorithm: undefined });
  const CopySource = `${Bucket}/${Key}`;
  const wanted = { Bucket, Key: 'copied', UploadId: copy, PartNumber: 1, CopySource };
  const ranged = new UploadPartCopyCommand({ ...wanted, CopySourceRange: 'bytes=10-19' });
  const { CopyPartResult } = await buckets.send(ranged);
  await complete('copied', copy, [{ PartNumber: 1, ETag: CopyPartResult?.ETag }]);
  expect((await bytesOf('copied')).equals(pieces[0]!.subarray(10, 20))).toBe(true);
  await remove('copied');
  await remove(Key);
});
