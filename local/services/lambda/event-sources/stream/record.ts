/** A record of a table's stream as a function sees it, and which lane it belongs to. */
import { createHash } from 'node:crypto';
import type { Json, JsonObject } from '../../../../assembly/assembly.ts';
import type { Ticket } from './checkpoint.ts';

export type StreamRecord = {
  readonly ticket: Ticket;
  readonly sequence: string;
  readonly createdAtMs: number;
  /** The JSON that the function gets. */
  readonly text: string;
  readonly keyHash: number;
};

export type RecordFrame = {
  readonly streamArn: string;
  readonly region: string;
  /** False for an engine that stamps records with whole minutes. */
  readonly stampsPrecisely: boolean;
};

/** The engine's record with the region, ARN and time that AWS would give. */
export function eventRecord(raw: JsonObject, frame: RecordFrame): JsonObject {
  const inner = raw.dynamodb as JsonObject;
  const stamp = Number(inner.ApproximateCreationDateTime ?? 0);
  const seconds = frame.stampsPrecisely && stamp > 0 ? stamp : Math.floor(Date.now() / 1000);
  return {
    eventID: raw.eventID ?? '',
    eventName: raw.eventName ?? '',
    eventVersion: raw.eventVersion ?? '1.1',
    eventSource: 'aws:dynamodb',
    awsRegion: frame.region,
    dynamodb: { ...inner, ApproximateCreationDateTime: seconds },
    eventSourceARN: frame.streamArn,
    ...(raw.userIdentity === undefined ? {} : { userIdentity: raw.userIdentity }),
  };
}

export function streamRecord(record: JsonObject, ticket: Ticket): StreamRecord {
  const inner = record.dynamodb as JsonObject;
  return {
    ticket,
    sequence: ticket.sequence,
    createdAtMs: Number(inner.ApproximateCreationDateTime) * 1000,
    text: JSON.stringify(record),
    keyHash: hashOf(inner.Keys ?? null),
  };
}

/** Same key, same lane: that keeps the order of each item. */
function hashOf(keys: Json): number {
  const entries = Object.entries(keys as JsonObject).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('md5').update(JSON.stringify(entries)).digest().readUInt32LE(0);
}
