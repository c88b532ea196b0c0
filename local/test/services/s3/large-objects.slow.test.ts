/** Large objects go through files: by the SDK, and by presigned addresses without one. */
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { objectInMemoryBytesMax } from '../../../limits.ts';
import { type NotesClients, notesClients } from '../../notes-clients.ts';
import { type NotesCloud, startNotes } from '../../notes-cloud.ts';
import { temporaryDir } from '../../temporary-dir.ts';

const large = randomBytes(objectInMemoryBytesMax + 12_345);

let stateDir: string;
let cloud: NotesCloud;
let clients: NotesClients;
let buckets: S3Client;
let Bucket: string;

beforeAll(async () => {
  stateDir = temporaryDir();
  cloud = await startNotes({ stateDir });
  clients = notesClients(cloud);
  buckets = clients.buckets;
  Bucket = cloud.output('BucketName');
});

afterAll(async () => {
  clients.close();
  await cloud.stop();
  rmSync(stateDir, { recursive: true });
});

const files = (): string[] => readdirSync(join(stateDir, 'queues', 'objects'));

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('base64');

async function bytesOf(Key: string, Range?: string): Promise<Buffer> {
  const { Body } = await buckets.send(new GetObjectCommand({ Bucket, Key, Range }));
  return Buffer.from((await Body?.transformToByteArray()) ?? []);
}

type Presigner = {
  presign(
    request: object,
    options: object,
  ): Promise<{ readonly path: string; readonly query: Record<string, string> }>;
};

/** What the official signer makes of a request, as an address. */
async function presigned(method: string, Key: string, headers = {}): Promise<string> {
  const signer = (await buckets.config.signer({ name: 'sigv4' } as never)) as unknown as Presigner;
  const { hostname, port } = new URL(cloud.endpoints.aws);
  const signed = await signer.presign(
    {
      method,
      protocol: 'http:',
      hostname,
      port: Number(port),
      path: `/${Bucket}/${Key}`,
      query: {},
      headers: {
        host: `${hostname}:${port}`,
        'x-amz-content-sha256': 'UNSIGNED-PAYLOAD',
        ...headers,
      },
    },
    { expiresIn: 60, unhoistableHeaders: new Set(Object.keys(headers)) },
  );
  const query = new URLSearchParams(signed.query);
  return `${cloud.endpoints.aws}${signed.path}?${query}`;
}

test('a large object is as it was put, whole and in part, and known as every other', async () => {
  const Key = 'large/one';
  await buckets.send(new PutObjectCommand({ Bucket, Key, Body: large, Metadata: { of: 'me' } }));
  expect(files()).toHaveLength(1);
  expect((await bytesOf(Key)).equals(large)).toBe(true);
  expect((await bytesOf(Key, 'bytes=1000000-')).equals(large.subarray(1_000_000))).toBe(true);
  expect((await bytesOf(Key, 'bytes=-5')).equals(large.subarray(-5))).toBe(true);
  const beyond = bytesOf(Key, `bytes=${large.length}-`);
  await expect(beyond).rejects.toMatchObject({ name: 'InvalidRange' });
  const head = await buckets.send(new HeadObjectCommand({ Bucket, Key }));
  expect(head).toMatchObject({ ContentLength: large.length, Metadata: { of: 'me' } });
  const list = await buckets.send(new ListObjectsV2Command({ Bucket, Prefix: 'large/' }));
  expect(list.Contents).toMatchObject([{ Key, Size: large.length }]);
  const CopySource = `${Bucket}/${Key}`;
  await buckets.send(new CopyObjectCommand({ Bucket, Key: 'large/two', CopySource }));
  expect((await bytesOf('large/two')).equals(large)).toBe(true);
  await buckets.send(new DeleteObjectCommand({ Bucket, Key }));
  await expect(bytesOf(Key)).rejects.toMatchObject({ name: 'NoSuchKey' });
  expect(files()).toHaveLength(0);
});

test('an object that is put again leaves no file behind', async () => {
  const Key = 'again';
  for (const Body of [large, large.subarray(5), 'small']) {
    await buckets.send(new PutObjectCommand({ Bucket, Key, Body }));
  }
  expect((await bytesOf(Key)).toString()).toBe('small');
  expect(files()).toHaveLength(0);
});

test.each([
  ['small', large.subarray(0, 1_000)],
  ['large', large],
])('other bytes than were declared are refused: %s', async (size, bytes) => {
  const declared = { 'x-amz-checksum-sha256': sha256(bytes) };
  const Key = `declared-${size}`;
  const url = await presigned('PUT', Key, declared);
  const put = (body: Uint8Array, headers: Record<string, string> = declared) =>
    fetch(url, { method: 'PUT', body: Buffer.from(body), headers });
  const flipped = Buffer.from(bytes);
  flipped[7] = flipped[7]! ^ 1;
  for (const other of [flipped, bytes.subarray(1)]) {
    const answer = await put(other);
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringMatching(/BadDigest/)]);
  }
  // The declaration is signed: it can neither be left out nor be another.
  expect((await put(flipped, {})).status).toBe(403);
  const own = { 'x-amz-checksum-sha256': sha256(flipped) };
  expect((await put(flipped, own)).status).toBe(403);
  await expect(bytesOf(Key)).rejects.toMatchObject({ name: 'NoSuchKey' });
  expect(files()).toHaveLength(0);
  expect((await put(bytes)).status).toBe(200);
  const got = await fetch(await presigned('GET', Key));
  expect(Buffer.from(await got.arrayBuffer()).equals(bytes)).toBe(true);
  await buckets.send(new DeleteObjectCommand({ Bucket, Key }));
});

test('an upload that breaks leaves nothing', async () => {
  const url = await presigned('PUT', 'broken');
  const body = new ReadableStream({
    pull(controller) {
      controller.error(new Error('cut'));
    },
  });
  const headers = { 'content-length': String(large.length) };
  const sent = fetch(url, { method: 'PUT', body, headers, duplex: 'half' } as RequestInit);
  await expect(sent).rejects.toThrow();
  await expect(bytesOf('broken')).rejects.toMatchObject({ name: 'NoSuchKey' });
});

test('large objects are there after a restart, and nothing else', async () => {
  const Key = 'kept';
  await buckets.send(new PutObjectCommand({ Bucket, Key, Body: large }));
  clients.close();
  await cloud.stop();
  cloud = await startNotes({ stateDir });
  clients = notesClients(cloud);
  buckets = clients.buckets;
  expect((await bytesOf(Key)).equals(large)).toBe(true);
  expect(files()).toHaveLength(1);
});
