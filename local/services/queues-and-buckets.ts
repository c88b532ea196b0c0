/**
 * SQS, SNS and S3 by fauxqs, inside this process and without a port of its own: requests are handed
 * to it by the gateway. (fauxqs' own start function listens on every network interface, so its
 * parts are put together here instead.) Queues, messages and objects are kept in the state
 * directory.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { buildApp } from 'fauxqs';
import { accountId } from '../account.ts';
import { StartFailure } from '../failure.ts';
import { type MultipartUploads, openMultipartUploads } from './s3/multipart-uploads.ts';
import { type ObjectFiles, type ObjectRows, openObjectFiles } from './s3/object-files.ts';

type Parts = NonNullable<NonNullable<Parameters<typeof buildApp>[0]>['stores']>;
export type QueueStore = Parts['sqsStore'];
export type TopicStore = Parts['snsStore'];
export type BucketStore = Parts['s3Store'];

export type StandInRequest = {
  method: string;
  url: string;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
};

export type StandInAnswer = {
  status: number;
  headers: Record<string, string | string[] | number | undefined>;
  body: Buffer;
};

export type QueuesAndBuckets = {
  readonly queues: QueueStore;
  readonly topics: TopicStore;
  readonly buckets: BucketStore;
  /** Bodies that are too large for the stand-in. */
  readonly files: ObjectFiles;
  readonly uploads: MultipartUploads;
  /** One request of the SQS, SNS or S3 protocol. */
  handle(request: StandInRequest): Promise<StandInAnswer>;
  /** An SQS operation of the local cloud itself, without a permission check. */
  sqs(operation: string, input: unknown): Promise<Record<string, unknown>>;
  /** A message of the local cloud itself to a topic, without a permission check. */
  publish(topicArn: string, subject: string | undefined, message: string): Promise<void>;
  close(): Promise<void>;
};

/** What is used of fauxqs' inside; a new version of it must still have these. */
type Persistence = ObjectRows & {
  readonly db: DatabaseSync;
  updateMessageReady(messageId: string): void;
  load(sqs: QueueStore, sns: TopicStore, s3: BucketStore): void;
  close(): void;
};

export async function openQueuesAndBuckets(
  stateDir: string,
  region: string,
): Promise<QueuesAndBuckets> {
  const dataDir = join(stateDir, 'queues');
  mkdirSync(dataDir, { recursive: true });
  const inside = await loadInside();
  const persistence = new inside.PersistenceManager(dataDir);
  // As the other files of the state: safe when the process dies, without waiting for the disk three
  // times a message.
  persistence.db.exec('PRAGMA synchronous = NORMAL');
  mendReturnedMessages(persistence);
  const queues = new inside.SqsStore();
  const topics = new inside.SnsStore();
  const buckets = new inside.S3Store();
  // Loaded before the stores know their persistence: otherwise loading would write, and writes
  // cascade.
  persistence.load(queues, topics, buckets);
  Object.assign(queues, { persistence });
  Object.assign(topics, { persistence });
  Object.assign(buckets, { persistence });
  for (const queue of queues.allQueues()) Object.assign(queue, { persistence });
  const files = openObjectFiles(join(dataDir, 'objects'), persistence, buckets);
  const uploads = openMultipartUploads(join(dataDir, 'uploads'));
  const app = buildApp({
    logger: false,
    defaultRegion: region,
    stores: { sqsStore: queues, snsStore: topics, s3Store: buckets },
  });
  await app.ready();
  const handle = async (request: StandInRequest): Promise<StandInAnswer> => {
    const answer = await app.inject({
      method: request.method as 'POST',
      url: request.url,
      headers: request.headers,
      payload: request.body,
    });
    return { status: answer.statusCode, headers: answer.headers, body: answer.rawPayload };
  };
  const close = async (): Promise<void> => {
    await app.close();
    persistence.close();
  };
  return { queues, topics, buckets, files, uploads, handle, ...ownCalls(handle), close };
}

/** What the local cloud itself sends, in the forms of the two protocols. */
function ownCalls(handle: QueuesAndBuckets['handle']): Pick<QueuesAndBuckets, 'sqs' | 'publish'> {
  return {
    async sqs(operation, input) {
      const answer = await handle({
        method: 'POST',
        url: '/',
        headers: {
          host: '127.0.0.1',
          'content-type': 'application/x-amz-json-1.0',
          'x-amz-target': `AmazonSQS.${operation}`,
        },
        body: Buffer.from(JSON.stringify(input)),
      });
      const text = answer.body.toString();
      if (answer.status !== 200) throw new Error(`SQS ${operation}: ${text}`);
      return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
    },
    async publish(topicArn, subject, message) {
      const form = new URLSearchParams({ Action: 'Publish', Version: '2010-03-31' });
      form.set('TopicArn', topicArn);
      form.set('Message', message);
      if (subject !== undefined) form.set('Subject', subject);
      const answer = await handle({
        method: 'POST',
        url: '/',
        headers: { host: '127.0.0.1', 'content-type': 'application/x-www-form-urlencoded' },
        body: Buffer.from(form.toString()),
      });
      if (answer.status !== 200) throw new Error(`SNS Publish: ${answer.body.toString()}`);
    },
  };
}

/**
 * A message that becomes visible again keeps its receive count. fauxqs 2.4.1 writes an empty count
 * instead, which its own table refuses, so that every "visible now" would fail.
 */
function mendReturnedMessages(persistence: Persistence): void {
  const ready = persistence.db.prepare(
    'UPDATE sqs_messages SET receipt_handle = NULL, visibility_deadline = NULL ' +
      'WHERE message_id = ?',
  );
  persistence.updateMessageReady = (messageId) => void ready.run(messageId);
}

async function loadInside(): Promise<{
  PersistenceManager: new (dataDir: string) => Persistence;
  SqsStore: new () => QueueStore;
  SnsStore: new () => TopicStore;
  S3Store: new () => BucketStore;
}> {
  const entry = import.meta.resolve('fauxqs');
  const part = async <T>(file: string, name: string): Promise<T> => {
    const module = (await import(new URL(file, entry).href)) as Record<string, unknown>;
    const found = module[name];
    if (found === undefined) {
      throw new StartFailure(
        `This version of fauxqs has no ${name}; run "npm ci" to get the right one.`,
      );
    }
    return found as T;
  };
  return {
    PersistenceManager: await part('./persistence.js', 'PersistenceManager'),
    SqsStore: await part('./sqs/sqsStore.js', 'SqsStore'),
    SnsStore: await part('./sns/snsStore.js', 'SnsStore'),
    S3Store: await part('./s3/s3Store.js', 'S3Store'),
  };
}

/** The address of a queue as this machine's programs can reach it. */
export function queueUrl(gatewayUrl: string, name: string): string {
  return `${gatewayUrl}/${accountId}/${name}`;
}
