/** S3 operations that are not there are refused, and never taken for others. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  CreateBucketCommand,
  GetBucketLocationCommand,
  GetBucketPolicyCommand,
  GetBucketVersioningCommand,
  GetObjectAclCommand,
  GetObjectCommand,
  PutBucketPolicyCommand,
  PutObjectCommand,
  PutObjectTaggingCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientSettings, type NotesClients, notesClients } from '../../notes-clients.ts';
import { type NotesCloud, startNotes, type TemplateEdit } from '../../notes-cloud.ts';

let cloud: NotesCloud;
let clients: NotesClients;
let buckets: S3Client;
let Bucket: string;

beforeAll(async () => {
  cloud = await startNotes();
  clients = notesClients(cloud);
  buckets = clients.buckets;
  Bucket = cloud.output('BucketName');
});

afterAll(async () => {
  clients.close();
  await cloud.stop();
});

test('setting the tags of an object does not overwrite it', async () => {
  const Key = 'kept';
  await buckets.send(new PutObjectCommand({ Bucket, Key, Body: 'content' }));
  const tag = new PutObjectTaggingCommand({ Bucket, Key, Tagging: { TagSet: [] } });
  await expect(buckets.send(tag)).rejects.toMatchObject({ name: 'NotImplemented' });
  const { Body } = await buckets.send(new GetObjectCommand({ Bucket, Key }));
  expect(await Body?.transformToString()).toBe('content');
});

test.each(['application/x-www-form-urlencoded', 'application/json', 'text/xml', 'image/png'])(
  'an object of the type %s is what was sent',
  async (ContentType) => {
    const Body = Buffer.from([0, 255, 61, 38, 37, 10]);
    await buckets.send(new PutObjectCommand({ Bucket, Key: 'typed', Body, ContentType }));
    const found = await buckets.send(new GetObjectCommand({ Bucket, Key: 'typed' }));
    expect(Buffer.from((await found.Body?.transformToByteArray()) ?? [])).toEqual(Body);
  },
);

test.each([
  ['GetBucketPolicy', () => buckets.send(new GetBucketPolicyCommand({ Bucket }))],
  ['PutBucketPolicy', () => buckets.send(new PutBucketPolicyCommand({ Bucket, Policy: '{}' }))],
  ['GetBucketVersioning', () => buckets.send(new GetBucketVersioningCommand({ Bucket }))],
  ['GetObjectAcl', () => buckets.send(new GetObjectAclCommand({ Bucket, Key: 'kept' }))],
])('%s is not implemented', async (_name, send) => {
  await expect(send()).rejects.toMatchObject({
    name: 'NotImplemented',
    $metadata: { httpStatusCode: 501 },
  });
});

test('of many who write what is not there yet, one does, and nothing is overwritten', async () => {
  const Key = 'once';
  const puts = Array.from({ length: 8 }, (_, i) =>
    buckets
      .send(new PutObjectCommand({ Bucket, Key, Body: String(i), IfNoneMatch: '*' }))
      .then(() => i),
  );
  const done = (await Promise.allSettled(puts)).filter(({ status }) => status === 'fulfilled');
  expect(done).toHaveLength(1);
  const again = new PutObjectCommand({ Bucket, Key, Body: 'late', IfNoneMatch: '*' });
  await expect(buckets.send(again)).rejects.toMatchObject({
    name: 'PreconditionFailed',
    $metadata: { httpStatusCode: 412 },
  });
  const { Body } = await buckets.send(new GetObjectCommand({ Bucket, Key }));
  expect(done).toMatchObject([{ value: Number(await Body?.transformToString()) }]);
});

test('what was read can be replaced while it is the same', async () => {
  const Key = 'read';
  const { ETag } = await buckets.send(new PutObjectCommand({ Bucket, Key, Body: 'a' }));
  const replace = { Bucket, Key, Body: 'b', IfMatch: ETag };
  await buckets.send(new PutObjectCommand(replace));
  const other = { name: 'PreconditionFailed' };
  await expect(buckets.send(new PutObjectCommand(replace))).rejects.toMatchObject(other);
  const gone = buckets.send(new PutObjectCommand({ ...replace, Key: 'never' }));
  await expect(gone).rejects.toMatchObject({ name: 'NoSuchKey' });
});

test('a bucket is in its region, and is made once', async () => {
  const { LocationConstraint } = await buckets.send(new GetBucketLocationCommand({ Bucket }));
  expect(LocationConstraint).toBe('eu-west-1');
  await expect(buckets.send(new CreateBucketCommand({ Bucket }))).rejects.toMatchObject({
    name: 'BucketAlreadyOwnedByYou',
  });
});

test('a method that S3 does not have is not allowed', async () => {
  const patching = new S3Client({ ...clientSettings(cloud), maxAttempts: 1 });
  patching.middlewareStack.add(
    (next) => (args) => {
      (args.request as { method: string }).method = 'PATCH';
      return next(args);
    },
    { step: 'build', priority: 'low' },
  );
  const Key = 'kept';
  await expect(patching.send(new GetObjectCommand({ Bucket, Key }))).rejects.toMatchObject({
    name: 'MethodNotAllowed',
    $metadata: { httpStatusCode: 405 },
  });
  patching.destroy();
});

describe('an object that is not there', () => {
  async function asked(own: NotesClients): Promise<{ errorType?: string; errorMessage?: string }> {
    const { answer } = await own.probe({ do: 'object', bucket: Bucket, key: 'gone' });
    return answer as { errorType?: string; errorMessage?: string };
  }

  const reading = (...actions: string[]): TemplateEdit => {
    return (resources) => {
      const Statement = actions.map((Action) => ({
        Effect: 'Allow',
        Action,
        Resource: { 'Fn::Join': ['', [{ 'Fn::GetAtt': ['Bucket', 'Arn'] }, suffixOf(Action)]] },
      }));
      const PolicyDocument = { Version: '2012-10-17', Statement };
      const Properties = { PolicyName: 'Reads', PolicyDocument, Roles: [{ Ref: 'ProbeRole' }] };
      Object.assign(resources, { Reads: { Type: 'AWS::IAM::Policy', Properties } });
    };
  };
  const suffixOf = (action: string): string => (action === 's3:ListBucket' ? '' : '/*');

  test('is a refusal to who may not list the bucket, as on AWS', async () => {
    const own = await startNotes({ edit: reading('s3:GetObject') });
    const probe = notesClients(own);
    expect(await asked(probe)).toMatchObject({
      errorType: 'AccessDenied',
      errorMessage: expect.stringContaining('not authorized to perform: s3:ListBucket'),
    });
    // Nobody asked to list: there is nothing to grant.
    expect(existsSync(join(own.stateDir, 'iam.log'))).toBe(false);
    probe.close();
    await own.stop();
  });

  test('is missing to who may', async () => {
    const own = await startNotes({ edit: reading('s3:GetObject', 's3:ListBucket') });
    const probe = notesClients(own);
    expect(await asked(probe)).toMatchObject({ errorType: 'NoSuchKey' });
    probe.close();
    await own.stop();
    const { buckets: developers } = clients;
    const get = developers.send(new GetObjectCommand({ Bucket, Key: 'gone' }));
    await expect(get).rejects.toMatchObject({ name: 'NoSuchKey' });
  });
});
