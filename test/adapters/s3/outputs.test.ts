import {
  DeleteObjectsCommand,
  GetObjectCommand,
  type GetObjectCommandOutput,
  ListObjectsV2Command,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { mockClient } from 'aws-sdk-client-mock';
import { expect, test } from 'vitest';
import { outputPagesPerPurgeMax } from '../../../adapters/limits.ts';
import { createOutputs } from '../../../adapters/s3/outputs.ts';
import { jobIdOf } from '../../../core/model/names.ts';

const job = jobIdOf('01k0000000000000000000000a');
const key = `outputs/${job}/00000007.2.txt`;

function stage() {
  const client = new S3Client({ region: 'eu-west-1' });
  return { s3: mockClient(client), outputs: createOutputs('kept', client) };
}

function refusal(name: string, $fault: 'client' | 'server' = 'client') {
  return new S3ServiceException({ name, $fault, message: 'no', $metadata: {} });
}

type Body = NonNullable<GetObjectCommandOutput['Body']>;

/** As much of a body as is read of one. */
function bodyOf(transformToByteArray: () => Promise<Uint8Array>): Body {
  return { transformToByteArray } as unknown as Body;
}

test('an output is kept under its job, and its key is answered', async () => {
  const { s3, outputs } = stage();
  s3.on(PutObjectCommand).resolves({});
  expect(await outputs.put(job, 7, 2, Buffer.from('printed'))).toBe(key);
  expect(s3.commandCalls(PutObjectCommand)[0]!.args[0].input).toMatchObject({
    Bucket: 'kept',
    Key: key,
    ContentType: 'text/plain; charset=utf-8',
  });
});

test.each(['SlowDown', 'AccessDenied', 'NoSuchBucket'])(
  'that an output was not kept for %s is an error of that name',
  async (name) => {
    const { s3, outputs } = stage();
    s3.on(PutObjectCommand).rejects(refusal(name));
    await expect(outputs.put(job, 7, 2, Buffer.from(''))).rejects.toMatchObject({ name });
  },
);

test('an output is read byte for byte, an empty one is no missing one', async () => {
  const { s3, outputs } = stage();
  s3.on(GetObjectCommand)
    .resolvesOnce({ Body: bodyOf(async () => Uint8Array.of(0xff, 0, 0xc3)) })
    .resolvesOnce({ Body: bodyOf(async () => new Uint8Array()) });
  expect(await outputs.get(key)).toEqual(Uint8Array.of(0xff, 0, 0xc3));
  expect(await outputs.get(key)).toEqual(new Uint8Array());
});

test('an output that is gone is null', async () => {
  const { s3, outputs } = stage();
  s3.on(GetObjectCommand).rejectsOnce(new NoSuchKey({ message: 'no', $metadata: {} }));
  expect(await outputs.get(key)).toBeNull();
});

test.each(['SlowDown', 'InternalError', 'NoSuchBucket', 'AccessDenied'])(
  'that nothing could be read for %s is no missing output',
  async (name) => {
    const { s3, outputs } = stage();
    s3.on(GetObjectCommand).rejects(refusal(name, 'server'));
    await expect(outputs.get(key)).rejects.toMatchObject({ name });
  },
);

test('an answer that breaks off is a failure', async () => {
  const { s3, outputs } = stage();
  s3.on(GetObjectCommand).resolves({ Body: bodyOf(() => Promise.reject(new Error('aborted'))) });
  await expect(outputs.get(key)).rejects.toThrow('aborted');
});

test('all outputs of a job are deleted, page by page', async () => {
  const { s3, outputs } = stage();
  s3.on(ListObjectsV2Command)
    .resolvesOnce({ Contents: [{ Key: 'a' }, { Key: 'b' }] })
    .resolvesOnce({ Contents: [{ Key: 'c' }, {}] })
    .resolvesOnce({});
  s3.on(DeleteObjectsCommand).resolves({});
  await outputs.removeAll(job);
  const Prefix = `outputs/${job}/`;
  const listed = s3.commandCalls(ListObjectsV2Command).map((call) => call.args[0].input.Prefix);
  expect(listed).toEqual([Prefix, Prefix, Prefix]);
  const deleted = s3.commandCalls(DeleteObjectsCommand).map((call) => call.args[0].input.Delete);
  expect(deleted.map((it) => it?.Objects?.map(({ Key }) => Key))).toEqual([['a', 'b'], ['c']]);
});

test('an output that cannot be deleted ends the deletion', async () => {
  const { s3, outputs } = stage();
  s3.on(ListObjectsV2Command).resolves({ Contents: [{ Key: 'a' }] });
  const Errors = [{ Key: 'a', Code: 'AccessDenied', Message: 'not allowed' }];
  s3.on(DeleteObjectsCommand).resolves({ Errors });
  await expect(outputs.removeAll(job)).rejects.toMatchObject({
    name: 'AccessDenied',
    message: 'a was not deleted: not allowed',
  });
  expect(s3.commandCalls(DeleteObjectsCommand)).toHaveLength(1);
});

test('a deletion that is throttled can be repeated from its beginning', async () => {
  const { s3, outputs } = stage();
  s3.on(ListObjectsV2Command)
    .resolvesOnce({ Contents: [{ Key: 'a' }] })
    .resolves({});
  s3.on(DeleteObjectsCommand).rejectsOnce(refusal('SlowDown', 'server')).resolves({});
  await expect(outputs.removeAll(job)).rejects.toMatchObject({ name: 'SlowDown' });
  await expect(outputs.removeAll(job)).resolves.toBeUndefined();
});

test('a deletion ends after so many pages, as one that has to be asked for again', async () => {
  const { s3, outputs } = stage();
  s3.on(ListObjectsV2Command).resolves({ Contents: [{ Key: 'a' }] });
  s3.on(DeleteObjectsCommand).resolves({});
  await expect(outputs.removeAll(job)).rejects.toMatchObject({ name: 'TimeoutError' });
  expect(s3.commandCalls(DeleteObjectsCommand)).toHaveLength(outputPagesPerPurgeMax);
});
