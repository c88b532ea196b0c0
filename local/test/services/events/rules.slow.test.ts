/** A bus and a rule of a template: what is put on the bus starts a queue and a function. */

import { rmSync } from 'node:fs';
import {
  EventBridgeClient,
  ListRulesCommand,
  PutEventsCommand,
  TestEventPatternCommand,
} from '@aws-sdk/client-eventbridge';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clientSettings, type NotesClients, notesClients } from '../../notes-clients.ts';
import { eventually, type NotesCloud, startNotes, type TemplateEdit } from '../../notes-cloud.ts';
import { temporaryDir } from '../../temporary-dir.ts';

const arnOf = (id: string) => ({ 'Fn::GetAtt': [id, 'Arn'] });

function withRule(isAllowed = true): TemplateEdit {
  return (resources) => {
    const add = (id: string, Type: string, Properties: Record<string, unknown>): void => {
      Object.assign(resources, { [id]: { Type, Properties } });
    };
    add('Bus', 'AWS::Events::EventBus', { Name: 'notes' });
    add('Allow', 'AWS::SQS::QueuePolicy', {
      Queues: [{ Ref: 'FailedRecords' }],
      PolicyDocument: {
        Version: '2012-10-17',
        Statement: [
          {
            Effect: isAllowed ? 'Allow' : 'Deny',
            Principal: { Service: 'events.amazonaws.com' },
            Action: 'sqs:SendMessage',
            Resource: arnOf('FailedRecords'),
            Condition: { ArnEquals: { 'aws:SourceArn': arnOf('Rule') } },
          },
        ],
      },
    });
    add('MayInvoke', 'AWS::Lambda::Permission', {
      Action: 'lambda:InvokeFunction',
      FunctionName: arnOf('OnMessage'),
      Principal: 'events.amazonaws.com',
      SourceArn: arnOf('Rule'),
    });
    const template = '{"Records":[{"messageId":"m","body":"{\\"key\\":\\"<id>\\"}"}]}';
    add('Rule', 'AWS::Events::Rule', {
      EventBusName: { Ref: 'Bus' },
      EventPattern: { source: ['notes'], detail: { size: [{ numeric: ['>', 5] }] } },
      Targets: [
        { Id: 'Queue', Arn: arnOf('FailedRecords') },
        {
          Id: 'Function',
          Arn: arnOf('OnMessage'),
          InputTransformer: { InputPathsMap: { id: '$.detail.id' }, InputTemplate: template },
        },
      ],
    });
  };
}

let cloud: NotesCloud;
let clients: NotesClients;
let events: EventBridgeClient;
beforeAll(async () => {
  cloud = await startNotes({ edit: withRule() });
  clients = notesClients(cloud);
  events = new EventBridgeClient(clientSettings(cloud));
});
afterAll(async () => {
  events.destroy();
  clients.close();
  await cloud.stop();
});

const put = (...details: unknown[]) => {
  const Entries = details.map((detail) => {
    const Detail = typeof detail === 'string' ? detail : JSON.stringify(detail);
    return { EventBusName: 'notes', Source: 'notes', DetailType: 'note.made', Detail };
  });
  return events.send(new PutEventsCommand({ Entries }));
};

test('an event that matches goes to the queue whole, and to the function as it is transformed', async () => {
  const { FailedEntryCount, Entries = [] } = await put(
    { id: 'n1', size: 3 },
    { id: 'n2', size: 9 },
  );
  expect(FailedEntryCount).toBe(0);
  const received = await eventually(async () => {
    const QueueUrl = cloud.output('FailedRecordsUrl');
    const { Messages } = await clients.queues.send(
      new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }),
    );
    return Messages;
  });
  expect(received).toHaveLength(1);
  expect(JSON.parse(received?.[0]?.Body ?? '')).toMatchObject({
    version: '0',
    id: Entries[1]?.EventId,
    source: 'notes',
    'detail-type': 'note.made',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    resources: [],
    detail: { id: 'n2', size: 9 },
  });
  const stored = await eventually(async () => {
    const Key = 'notes/n2';
    const get = new GetObjectCommand({ Bucket: cloud.output('BucketName'), Key });
    return clients.buckets.send(get).catch(() => undefined);
  });
  expect(stored).toBeDefined();
});

test('what is wrong with an entry is said of that entry', async () => {
  const { FailedEntryCount, Entries = [] } = await put('no json', { id: 'n3', size: 1 });
  expect([FailedEntryCount, Entries.map(({ ErrorCode }) => ErrorCode)]).toEqual([
    1,
    ['MalformedDetail', undefined],
  ]);
  const none = { Source: 'notes', DetailType: 'x', Detail: '{}', EventBusName: 'nowhere' };
  const aws = { ...none, EventBusName: 'notes', Source: 'aws.notes' };
  const answer = await events.send(new PutEventsCommand({ Entries: [none, aws] }));
  expect(answer.Entries?.map(({ ErrorCode }) => ErrorCode)).toEqual([
    'ResourceNotFoundException',
    'NotAuthorizedForSourceException',
  ]);
  const eleven = put(...Array.from({ length: 11 }, () => ({})));
  await expect(eleven).rejects.toMatchObject({ name: 'ValidationException' });
});

test('patterns are tried by themselves, and rules are listed', async () => {
  const tried = (EventPattern: string) =>
    events.send(new TestEventPatternCommand({ EventPattern, Event: '{"source":"a"}' }));
  expect((await tried('{"source":[{"prefix":"a"}]}')).Result).toBe(true);
  expect((await tried('{"source":["b"]}')).Result).toBe(false);
  const wrong = { name: 'InvalidEventPatternException' };
  await expect(tried('{"source":[{"nonsense":1}]}')).rejects.toMatchObject(wrong);
  const { Rules = [] } = await events.send(new ListRulesCommand({ EventBusName: 'notes' }));
  expect(Rules).toMatchObject([{ State: 'ENABLED', EventBusName: 'notes' }]);
});

test('a function that the rule may not invoke stops the start', async () => {
  const edit: TemplateEdit = (resources) => {
    withRule()(resources);
    delete resources.MayInvoke;
  };
  const stateDir = temporaryDir();
  const starting = startNotes({ edit, stateDir });
  await expect(starting).rejects.toThrow('an AWS::Lambda::Permission is missing');
  rmSync(stateDir, { recursive: true });
});
