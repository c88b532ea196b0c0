import type { DynamoDBRecord } from 'aws-lambda';
import { type AttributeMap, decodeMap } from '../../../adapters/dynamodb/attribute-values.ts';
import { cellOfRow, edgeOfPointer, edgeOfWorkRow } from '../../../adapters/dynamodb/keys.ts';
import { decodeIdentity } from '../../../adapters/dynamodb/rows/rows-identity.ts';
import { decodeStatus } from '../../../adapters/dynamodb/rows/rows-job.ts';
import { lostAtMsOf } from '../../../adapters/dynamodb/rows/rows-work.ts';
import { readable } from '../../../adapters/dynamodb/rows/unreadable-row.ts';
import { jobRows } from '../../../adapters/dynamodb/schema.ts';
import type { Row } from '../../../adapters/dynamodb/table.ts';
import {
  edgeEventOf,
  endsJob,
  type FleetEvent,
  fleetEventsOf,
} from '../../../core/events/fleet-event.ts';
import { type EdgeName, poolOfCell } from '../../../core/model/names.ts';

/**
 * What changes of rows say of jobs and edges, in the order in which they come: that of each job and
 * of each edge is kept. Of a change whose beginning or end cannot be read nobody knows what it was.
 */
export function eventsOfStream(records: readonly DynamoDBRecord[]): FleetEvent[] {
  return records.flatMap(({ eventName, dynamodb }) => {
    if (eventName === 'REMOVE') return [];
    const after = rowOf(dynamodb?.NewImage);
    const before = eventName === 'INSERT' ? null : rowOf(dynamodb?.OldImage);
    if (after === null || (before === null && eventName !== 'INSERT')) return [];
    if (after.sk === jobRows.status) return eventsOfStatus(before, after, writtenAtMsOf(dynamodb));
    const enrolled = edgeOfPointer(after);
    if (enrolled !== null) return before === null ? eventsOfEnrolment(enrolled, after) : [];
    const edge = edgeOfWorkRow(after);
    return edge === null ? [] : eventsOfWork(edge, before, after);
  });
}

/** Ends of jobs that name somebody who is to be notified of them. */
export function endsToSend(records: readonly DynamoDBRecord[]): FleetEvent[] {
  const notifying = records.filter(({ dynamodb }) => dynamodb?.NewImage?.notifies?.BOOL === true);
  return eventsOfStream(notifying).filter(endsJob);
}

/** The stream has it in seconds. */
function writtenAtMsOf(record: DynamoDBRecord['dynamodb']): number | undefined {
  const seconds = record?.ApproximateCreationDateTime;
  return seconds === undefined ? undefined : Math.floor(seconds * 1_000);
}

function eventsOfStatus(before: Row | null, after: Row, writtenAtMs?: number): FleetEvent[] {
  const [was, is] = [before && readable(before, decodeStatus), readable(after, decodeStatus)];
  if (is === null || (before !== null && was === null)) return [];
  return fleetEventsOf(was, is, writtenAtMs);
}

function eventsOfEnrolment(edge: EdgeName, after: Row): FleetEvent[] {
  const identity = readable(after, (row) => decodeIdentity(edge, row));
  if (identity === null) return [];
  const { cell, enrolledAtMs: atMs } = identity;
  return [edgeEventOf('edge.registered', { edge, pool: poolOfCell(cell), atMs })];
}

/** A verdict of loss, and its end. */
function eventsOfWork(edge: EdgeName, before: Row | null, after: Row): FleetEvent[] {
  const wasLostAtMs = before && readable(before, lostAtMsOf);
  const isLostAtMs = readable(after, lostAtMsOf);
  const pool = poolOfCell(cellOfRow(after));
  if (wasLostAtMs === null && isLostAtMs !== null) {
    return [edgeEventOf('edge.lost', { edge, pool, atMs: isLostAtMs })];
  }
  const backAtMs = Number(after.writtenAtMs);
  const isBack = wasLostAtMs !== null && isLostAtMs === null && Number.isSafeInteger(backAtMs);
  return isBack ? [edgeEventOf('edge.returned', { edge, pool, atMs: backAtMs })] : [];
}

function rowOf(image: unknown): Row | null {
  return image === undefined ? null : (decodeMap(image as AttributeMap) as Row);
}
