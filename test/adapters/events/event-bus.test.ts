import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, expect, test } from 'vitest';
import { createEventBus } from '../../../adapters/events/event-bus.ts';
import { jobIdOf } from '../../../core/model/names.ts';

const client = mockClient(EventBridgeClient);
beforeEach(() => client.reset());

const event = {
  ...{ id: 'job-1.job.done.5', atMs: 5_000, kind: 'job.done', job: jobIdOf('job-1'), name: null },
  ...{ edge: null, pool: 'default', queue: 'default', jobspec: null, detail: 'Done.' },
};
const bus = createEventBus('Edgewise', client as unknown as EventBridgeClient);

test('an event is an entry: its kind is the type, what the API says of it the detail', async () => {
  client.on(PutEventsCommand).resolves({ FailedEntryCount: 0, Entries: [{ EventId: 'x' }] });
  await bus.put([event]);
  const [call] = client.commandCalls(PutEventsCommand);
  const { Detail = '', ...entry } = call!.args[0].input.Entries![0]!;
  expect(entry).toEqual({
    EventBusName: 'Edgewise',
    Source: 'edgewise',
    DetailType: 'job.done',
  });
  const { atMs: _, ...said } = event;
  expect(JSON.parse(Detail)).toEqual({ ...said, at: '1970-01-01T00:00:05.000Z' });
});

test('what the bus does not take whole is a failure in its words', async () => {
  const refused = { ErrorCode: 'ThrottlingException', ErrorMessage: 'slow down' };
  client.on(PutEventsCommand).resolves({ Entries: [{ EventId: 'x' }, refused] });
  await expect(bus.put([event, event])).rejects.toThrow('ThrottlingException: slow down');
});
