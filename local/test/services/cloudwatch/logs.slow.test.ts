/** Log lines of a function by CloudWatch Logs: in order, by time, page by page. */
import {
  CloudWatchLogsClient,
  DescribeLogGroupsCommand,
  DescribeLogStreamsCommand,
  FilterLogEventsCommand,
  GetLogEventsCommand,
} from '@aws-sdk/client-cloudwatch-logs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clientSettings, type NotesClients, notesClients } from '../../notes-clients.ts';
import { type NotesCloud, startNotes } from '../../notes-cloud.ts';

let cloud: NotesCloud;
let clients: NotesClients;
let logs: CloudWatchLogsClient;
let logGroupName: string;

beforeAll(async () => {
  cloud = await startNotes();
  clients = notesClients(cloud);
  logs = new CloudWatchLogsClient(clientSettings(cloud));
  logGroupName = `/aws/lambda/${cloud.output('Probe')}`;
  await clients.probe({ do: 'calls' });
});

afterAll(async () => {
  logs.destroy();
  clients.close();
  await cloud.stop();
});

test('groups and streams are those of the functions', async () => {
  const prefix = { logGroupNamePrefix: '/aws/lambda/' };
  const { logGroups = [] } = await logs.send(new DescribeLogGroupsCommand(prefix));
  expect(logGroups.map((group) => group.logGroupName)).toContain(logGroupName);
  const { logStreams } = await logs.send(new DescribeLogStreamsCommand({ logGroupName }));
  expect(logStreams?.map((stream) => stream.logStreamName)).toEqual([cloud.output('Probe')]);
});

test('who asks from now on gets what is logged from now on', async () => {
  const startTime = Date.now();
  await clients.probe({ do: 'identity' });
  const filter = { logGroupName, startTime };
  const { events = [] } = await logs.send(new FilterLogEventsCommand(filter));
  const lines = events.map(({ message }) => message ?? '');
  expect(lines[0]).toMatch(/^START RequestId/);
  expect(lines.at(-1)).toMatch(/^REPORT RequestId/);
  expect(lines.some((line) => line.includes('probing identity'))).toBe(true);
  expect(lines.some((line) => line.includes('probing calls'))).toBe(false);
  for (const { timestamp = 0 } of events) expect(timestamp).toBeGreaterThanOrEqual(startTime);
});

test('pages go on where the one before ended, and the end stays the end', async () => {
  const stream = { logGroupName, logStreamName: cloud.output('Probe'), startFromHead: true };
  const all = await logs.send(new GetLogEventsCommand(stream));
  const first = await logs.send(new GetLogEventsCommand({ ...stream, limit: 2 }));
  const rest = { ...stream, nextToken: first.nextForwardToken };
  const second = await logs.send(new GetLogEventsCommand(rest));
  expect([...(first.events ?? []), ...(second.events ?? [])]).toEqual(all.events);
  const end = { ...stream, nextToken: second.nextForwardToken };
  const third = await logs.send(new GetLogEventsCommand(end));
  expect([third.events, third.nextForwardToken]).toEqual([[], second.nextForwardToken]);
});

test('a group that is not there is not found; a pattern for JSON is refused', async () => {
  const other = new FilterLogEventsCommand({ logGroupName: 'none' });
  await expect(logs.send(other)).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  const json = new FilterLogEventsCommand({ logGroupName, filterPattern: '{ $.a = 1 }' });
  await expect(logs.send(json)).rejects.toMatchObject({ name: 'InvalidParameterException' });
});
