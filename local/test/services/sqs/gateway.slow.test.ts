/** SQS with the official SDK, where the stand-in alone would answer otherwise than AWS. */
import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  ListDeadLetterSourceQueuesCommand,
  ListMessageMoveTasksCommand,
  PurgeQueueCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SQSClient,
  StartMessageMoveTaskCommand,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { clientSettings } from '../../notes-clients.ts';
import { eventually, type NotesCloud, startNotes } from '../../notes-cloud.ts';

let cloud: NotesCloud;
let queues: SQSClient;
let QueueUrl: string;
let made = 0;

beforeAll(async () => {
  cloud = await startNotes();
  queues = new SQSClient({ ...clientSettings(cloud), maxAttempts: 1 });
});

beforeEach(async () => {
  made += 1;
  const created = await queues.send(new CreateQueueCommand({ QueueName: `own-${made}` }));
  QueueUrl = created.QueueUrl ?? '';
});

afterAll(async () => {
  queues.destroy();
  await cloud.stop();
});

async function attributes(...names: string[]): Promise<Record<string, string> | undefined> {
  const get = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: names as never });
  return (await queues.send(get)).Attributes;
}

describe('refused with the name that AWS gives', () => {
  const handle = { ReceiptHandle: 'garbage' };
  test.each<[name: string, send: () => Promise<unknown>]>([
    [
      'ReceiptHandleIsInvalid',
      () => queues.send(new DeleteMessageCommand({ QueueUrl, ...handle })),
    ],
    [
      'ReceiptHandleIsInvalid',
      () =>
        queues.send(
          new ChangeMessageVisibilityCommand({ QueueUrl, ...handle, VisibilityTimeout: 1 }),
        ),
    ],
    [
      'InvalidBatchEntryId',
      () =>
        queues.send(
          new SendMessageBatchCommand({
            QueueUrl,
            Entries: [{ Id: 'x'.repeat(81), MessageBody: 'x' }],
          }),
        ),
    ],
    ['InvalidAttributeName', () => attributes('Nope')],
    [
      'InvalidParameterValue',
      () => queues.send(new SendMessageCommand({ QueueUrl, MessageBody: 'x', DelaySeconds: 901 })),
    ],
    [
      'InvalidParameterValue',
      () => {
        const MessageAttributes = { a: { DataType: 'Text', StringValue: 'x' } };
        const send = new SendMessageCommand({ QueueUrl, MessageBody: 'x', MessageAttributes });
        return queues.send(send);
      },
    ],
    [
      'InvalidParameterValue',
      () => queues.send(new CreateQueueCommand({ QueueName: 'with a space' })),
    ],
    [
      'InvalidParameterValue',
      () => queues.send(new CreateQueueCommand({ QueueName: 'unasked.fifo' })),
    ],
    [
      'PurgeQueueInProgress',
      async () => {
        await queues.send(new PurgeQueueCommand({ QueueUrl }));
        return queues.send(new PurgeQueueCommand({ QueueUrl }));
      },
    ],
    [
      'QueueDeletedRecently',
      async () => {
        await queues.send(new DeleteQueueCommand({ QueueUrl }));
        return queues.send(new CreateQueueCommand({ QueueName: `own-${made}` }));
      },
    ],
  ])('%s', async (name, send) => {
    await expect(send()).rejects.toMatchObject({ name });
  });
});

test('an invalid handle fails alone in its batch', async () => {
  await queues.send(new SendMessageCommand({ QueueUrl, MessageBody: 'x' }));
  const { Messages } = await queues.send(new ReceiveMessageCommand({ QueueUrl }));
  const answer = await queues.send(
    new DeleteMessageBatchCommand({
      QueueUrl,
      Entries: [
        { Id: 'good', ReceiptHandle: Messages?.[0]?.ReceiptHandle },
        { Id: 'bad', ReceiptHandle: 'garbage' },
      ],
    }),
  );
  expect(answer.Successful).toEqual([{ Id: 'good' }]);
  expect(answer.Failed).toMatchObject([{ Id: 'bad', Code: 'ReceiptHandleIsInvalid' }]);
});

test('message attributes come only with those who name them', async () => {
  const MessageAttributes = { a: { DataType: 'String', StringValue: 'v' } };
  const send = new SendMessageCommand({ QueueUrl, MessageBody: 'x', MessageAttributes });
  await queues.send(send);
  const plain = await queues.send(new ReceiveMessageCommand({ QueueUrl, VisibilityTimeout: 0 }));
  expect(plain.Messages?.[0]?.MessageAttributes).toBeUndefined();
  const named = await queues.send(
    new ReceiveMessageCommand({ QueueUrl, MessageAttributeNames: ['All'] }),
  );
  expect(named.Messages?.[0]?.MessageAttributes).toEqual(MessageAttributes);
});

test('without names there are no attributes; counts are those of now', async () => {
  expect(
    (await queues.send(new GetQueueAttributesCommand({ QueueUrl }))).Attributes,
  ).toBeUndefined();
  await queues.send(new SendMessageCommand({ QueueUrl, MessageBody: 'x' }));
  await queues.send(new ReceiveMessageCommand({ QueueUrl, VisibilityTimeout: 1 }));
  expect(await attributes('ApproximateNumberOfMessagesNotVisible')).toEqual({
    ApproximateNumberOfMessagesNotVisible: '1',
  });
  // Nobody receives meanwhile: the message is visible again by itself.
  await eventually(async () => {
    const now = await attributes('ApproximateNumberOfMessages');
    return now?.['ApproximateNumberOfMessages'] === '1' ? true : undefined;
  });
});

test('a late delete still deletes what nobody received again', async () => {
  await queues.send(new SendMessageCommand({ QueueUrl, MessageBody: 'x' }));
  const receive = new ReceiveMessageCommand({ QueueUrl, VisibilityTimeout: 1 });
  const { Messages } = await queues.send(receive);
  await eventually(async () => {
    const now = await attributes('ApproximateNumberOfMessages');
    return now?.['ApproximateNumberOfMessages'] === '1' ? true : undefined;
  });
  const ReceiptHandle = Messages?.[0]?.ReceiptHandle;
  await queues.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
  expect(await attributes('ApproximateNumberOfMessages')).toEqual({
    ApproximateNumberOfMessages: '0',
  });
});

test('of two that wait, the one without a message waits on', async () => {
  const receive = (): Promise<unknown[]> =>
    queues
      .send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20 }))
      .then(({ Messages }) => Messages ?? []);
  const both = [receive(), receive()];
  await queues.send(new SendMessageCommand({ QueueUrl, MessageBody: 'first' }));
  await Promise.race(both);
  await queues.send(new SendMessageCommand({ QueueUrl, MessageBody: 'second' }));
  expect((await Promise.all(both)).map((messages) => messages.length)).toEqual([1, 1]);
});

test('dead letters go back to the queue that they come from', async () => {
  const source = QueueUrl;
  const dead = cloud.output('DeadQueueUrl');
  const SourceArn = `arn:aws:sqs:eu-west-1:000000000000:${dead.split('/').at(-1)}`;
  const sources = await queues.send(new ListDeadLetterSourceQueuesCommand({ QueueUrl: dead }));
  expect(sources.queueUrls).toEqual([cloud.output('QueueUrl')]);
  await queues.send(new SendMessageCommand({ QueueUrl: dead, MessageBody: 'again' }));
  const DestinationArn = `arn:aws:sqs:eu-west-1:000000000000:${source.split('/').at(-1)}`;
  const start = new StartMessageMoveTaskCommand({ SourceArn, DestinationArn });
  expect((await queues.send(start)).TaskHandle).toBeTypeOf('string');
  const { Results } = await queues.send(new ListMessageMoveTasksCommand({ SourceArn }));
  expect(Results).toMatchObject([{ Status: 'COMPLETED', ApproximateNumberOfMessagesMoved: 1 }]);
  const { Messages } = await queues.send(new ReceiveMessageCommand({ QueueUrl: source }));
  expect(Messages?.map(({ Body }) => Body)).toEqual(['again']);
});
