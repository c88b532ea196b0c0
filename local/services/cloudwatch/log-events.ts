/**
 * Log files as CloudWatch Logs has them: groups with streams of events. A group has one stream for
 * each function that writes to it, whatever number of processes that has, and one for each HTTP
 * API; a line is an event.
 */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readLineTimes } from '../../engine/line-times.ts';
import type { World } from '../../world.ts';
import { accessLogPath } from '../apigateway/access-log.ts';

export type LogStream = {
  readonly name: string;
  readonly path: string;
};

export type LogGroup = {
  readonly name: string;
  readonly retentionDays: number | undefined;
  readonly streams: readonly LogStream[];
};

export type LogEvent = {
  readonly stream: string;
  readonly timestampMs: number;
  /** Where its line begins: events of a stream in their order. */
  readonly place: number;
  readonly message: string;
};

/** By name, in the order of the names. */
export function logGroups(world: World): Map<string, LogGroup> {
  const logDir = join(world.stateDir, 'logs');
  const streams = new Map<string, LogStream[]>();
  const add = (group: string, stream: LogStream): void => {
    streams.set(group, [...(streams.get(group) ?? []), stream]);
  };
  for (const { name, logGroup } of world.functions.values()) {
    add(logGroup, { name, path: join(logDir, `${name}.log`) });
  }
  for (const { name, stage } of world.apis.values()) {
    const group = stage?.accessLog?.logGroup;
    if (group !== undefined) add(group, { name, path: accessLogPath(logDir, group) });
  }
  const names = [...new Set([...world.logGroups.keys(), ...streams.keys()])].sort();
  return new Map(
    names.map((name) => {
      const retentionDays = world.logGroups.get(name)?.retentionDays;
      return [name, { name, retentionDays, streams: streams.get(name) ?? [] }];
    }),
  );
}

export function bytesOf({ path }: LogStream): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** A line that is still being written is not an event yet. */
export function eventsOf({ name, path }: LogStream): LogEvent[] {
  const file = statSync(path, { throwIfNoEntry: false });
  if (file === undefined) return [];
  const bytes = readFileSync(path);
  const timeOf = readLineTimes(path, Math.floor(file.mtimeMs));
  const events: LogEvent[] = [];
  for (let place = 0; place < bytes.length; ) {
    const end = bytes.indexOf(newline, place);
    if (end < 0) break;
    const message = bytes.toString('utf8', place, end);
    if (message !== '') events.push({ stream: name, timestampMs: timeOf(place), place, message });
    place = end + 1;
  }
  return events;
}

const newline = 10;
