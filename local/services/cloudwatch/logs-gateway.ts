/**
 * CloudWatch Logs, as far as it is read: groups, streams and events of the functions and HTTP APIs
 * of the template. Lines are written by running them.
 */

import type { ServerResponse } from 'node:http';
import { type Account, arnOf } from '../../account.ts';
import type { JsonObject } from '../../assembly/assembly.ts';
import { sendJson, sendJsonError } from '../../engine/gateway/answer.ts';
import { operationOf } from '../../engine/gateway/named-operation.ts';
import type { GatewayService, Offer } from '../../engine/gateway/service.ts';
import { refuseOperation } from '../../engine/gateway/unknown-operation.ts';
import { logEventsMax } from '../../limits.ts';
import type { World } from '../../world.ts';
import { bytesOf, eventsOf, type LogEvent, type LogGroup, logGroups } from './log-events.ts';
import { logFilter } from './log-filter.ts';

type Logs = { readonly account: Account; readonly groups: ReadonlyMap<string, LogGroup> };
type Refusal = { readonly type: string; readonly message: string };
type Answer = { readonly result: JsonObject } | Refusal;
type Operation = (logs: Logs, input: JsonObject) => Answer;

const operations: Readonly<Record<string, Operation>> = {
  DescribeLogGroups: describeGroups,
  DescribeLogStreams: (logs, input) =>
    inGroup(logs, input, (group) => ({ result: describeStreams(logs, group, input) })),
  FilterLogEvents: (logs, input) => inGroup(logs, input, (group) => filterEvents(group, input)),
  GetLogEvents: (logs, input) => inGroup(logs, input, (group) => streamEvents(group, input)),
};

const offer: Offer = {
  operations: Object.keys(operations),
  instead: 'The lines are also files in logs/ of the state directory.',
};

export function logsService(world: World): GatewayService {
  const { roles, account } = world;
  return {
    ...offer,
    targets: ['Logs_20140328'],
    handle: (request, res) => {
      const name = request.target.slice(request.target.indexOf('.') + 1);
      const operation = operationOf(operations, name);
      if (operation === undefined) return refuseOperation(request, res, offer, name);
      const input = parse(request.body);
      const group = groupNameOf(input);
      const resource = group === '' ? '*' : arnOf(account, 'logs', `log-group:${group}:*`);
      const access = { action: `logs:${name}`, resource };
      const sentence = roles.refusal(roles.callerOf(request.accessKeyId), [access]);
      if (sentence !== undefined)
        return refuse(res, { type: 'AccessDeniedException', message: sentence });
      const answer = operation({ account, groups: logGroups(world) }, input);
      if ('result' in answer) sendJson(res, 200, answer.result, '1.1');
      else refuse(res, answer);
    },
  };
}

const refuse = (res: ServerResponse, { type, message }: Refusal): void =>
  sendJsonError(res, 400, type, message, '1.1');

function parse(body: Buffer): JsonObject {
  try {
    return JSON.parse(body.toString() || '{}') as JsonObject;
  } catch {
    return {};
  }
}

/** By name, or by ARN. */
function groupNameOf({ logGroupName, logGroupIdentifier }: JsonObject): string {
  const text = String(logGroupName ?? logGroupIdentifier ?? '');
  return text.replace(/^arn:[^:]*:logs:[^:]*:[^:]*:log-group:/, '').replace(/:\*$/, '');
}

function inGroup(logs: Logs, input: JsonObject, work: (group: LogGroup) => Answer): Answer {
  const group = logs.groups.get(groupNameOf(input));
  if (group !== undefined) return work(group);
  const message = 'The specified log group does not exist.';
  return { type: 'ResourceNotFoundException', message };
}

const invalid = (message: string): Refusal => ({ type: 'InvalidParameterException', message });

function describeGroups({ account, groups }: Logs, input: JsonObject): Answer {
  const prefix = String(input.logGroupNamePrefix ?? '');
  const part = String(input.logGroupNamePattern ?? '').toLowerCase();
  const wanted = [...groups.values()].filter(
    ({ name }) => name.startsWith(prefix) && name.toLowerCase().includes(part),
  );
  const described = wanted.map(({ name, retentionDays, streams }) => ({
    logGroupName: name,
    arn: `${arnOf(account, 'logs', `log-group:${name}`)}:*`,
    logGroupArn: arnOf(account, 'logs', `log-group:${name}`),
    logGroupClass: 'STANDARD',
    metricFilterCount: 0,
    storedBytes: streams.reduce((sum, stream) => sum + bytesOf(stream), 0),
    ...(retentionDays === undefined ? {} : { retentionInDays: retentionDays }),
  }));
  return page('logGroups', described, input, 50);
}

/** A token is the number of items that came before. */
function page(
  name: string,
  items: readonly JsonObject[],
  input: JsonObject,
  usual: number,
): Answer {
  const from = Number(input.nextToken ?? 0) || 0;
  const end = from + Math.min(Number(input.limit ?? usual) || usual, logEventsMax);
  const rest = end < items.length ? { nextToken: String(end) } : {};
  return { result: { [name]: items.slice(from, end), ...rest } };
}

function describeStreams({ account }: Logs, group: LogGroup, input: JsonObject): JsonObject {
  const prefix = String(input.logStreamNamePrefix ?? '');
  const logStreams = group.streams
    .filter(({ name }) => name.startsWith(prefix))
    .map((stream) => {
      const events = eventsOf(stream);
      const [first, last] = [events[0], events.at(-1)];
      const place = `log-group:${group.name}:log-stream:${stream.name}`;
      return {
        logStreamName: stream.name,
        arn: arnOf(account, 'logs', place),
        storedBytes: 0,
        ...(first === undefined ? {} : { firstEventTimestamp: first.timestampMs }),
        ...(last === undefined ? {} : { lastEventTimestamp: last.timestampMs }),
        ...(last === undefined ? {} : { lastIngestionTime: last.timestampMs }),
      };
    });
  return { logStreams };
}

function filterEvents(group: LogGroup, input: JsonObject): Answer {
  const filter = logFilter(String(input.filterPattern ?? ''));
  if (filter === undefined) {
    return invalid(
      'The local cloud filters by words, not by fields of JSON or regular expressions.',
    );
  }
  const names = Array.isArray(input.logStreamNames) ? input.logStreamNames : undefined;
  const prefix = String(input.logStreamNamePrefix ?? '');
  const streams = group.streams.filter(
    ({ name }) => name.startsWith(prefix) && (names === undefined || names.includes(name)),
  );
  const events = streams
    .flatMap((stream) => between(eventsOf(stream), input))
    .filter(({ message }) => filter(message))
    .sort((a, b) => a.timestampMs - b.timestampMs);
  const shown = events.map((event) => ({
    logStreamName: event.stream,
    ...eventFields(event),
    eventId: `${event.timestampMs}${String(event.place).padStart(12, '0')}${event.stream}`,
  }));
  const answer = page('events', shown, input, logEventsMax);
  return 'result' in answer ? { result: { searchedLogStreams: [], ...answer.result } } : answer;
}

/** "The end of the range": an event at that time is not in it. */
function between(events: readonly LogEvent[], input: JsonObject): LogEvent[] {
  const start = Number(input.startTime ?? 0);
  const end = Number(input.endTime ?? Number.POSITIVE_INFINITY);
  return events.filter(({ timestampMs }) => timestampMs >= start && timestampMs < end);
}

const eventFields = ({ timestampMs, message }: LogEvent) => ({
  timestamp: timestampMs,
  message,
  ingestionTime: timestampMs,
});

/** Tokens are places in the file: `f/` for what comes after, `b/` for what came before. */
function streamEvents(group: LogGroup, input: JsonObject): Answer {
  const stream = group.streams.find(({ name }) => name === input.logStreamName);
  if (stream === undefined) {
    const message = 'The specified log stream does not exist.';
    return { type: 'ResourceNotFoundException', message };
  }
  const [, direction, place] = /^([fb])\/(\d+)$/.exec(String(input.nextToken ?? '')) ?? [];
  const isForward = direction === 'f' || (direction === undefined && input.startFromHead === true);
  const all = between(eventsOf(stream), input).filter(
    (event) => place === undefined || isOnSide(event, direction, Number(place)),
  );
  const most = Math.min(Number(input.limit ?? logEventsMax) || logEventsMax, logEventsMax);
  const shown = isForward ? all.slice(0, most) : all.slice(-most);
  const [first, last] = [shown[0], shown.at(-1)];
  const stay = place ?? '0';
  return {
    result: {
      events: shown.map(eventFields),
      // "If you have reached the end of the stream, it returns the same token you passed in."
      nextForwardToken: `f/${last === undefined ? stay : last.place + 1}`,
      nextBackwardToken: `b/${first === undefined ? stay : first.place}`,
    },
  };
}

function isOnSide(event: LogEvent, direction: string | undefined, place: number): boolean {
  return direction === 'f' ? event.place >= place : event.place < place;
}
