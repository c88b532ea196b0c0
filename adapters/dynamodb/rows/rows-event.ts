import type { JobEvent } from '../../../core/model/job-event.ts';
import { eventTtlSeconds } from '../../../core/model/limits.ts';
import type { JobId } from '../../../core/model/names.ts';
import type { StoredEvent } from '../../../core/ports/jobs.ts';
import { eventKey } from '../keys.ts';
import { jobRows } from '../schema.ts';
import type { Row } from '../table.ts';
import { text } from './row-values.ts';

/** `JOB#<id>/EVENT#<time>#<kind>`. It expires in seconds, because TTL counts in them. */
export function eventRow(job: JobId, { atMs, kind, by, detail }: JobEvent): Row {
  const expiresAt = Math.floor(atMs / 1_000) + eventTtlSeconds;
  return { ...eventKey(job, atMs, kind), kind, by, detail, expiresAt };
}

/** When it was and of which kind is in the key. */
export function unreadableEvent(row: Row): StoredEvent {
  const detail = 'this entry cannot be read';
  return decodeEvent({ pk: row.pk, sk: row.sk, kind: row.sk.split('#')[2] ?? '', detail });
}

export function decodeEvent(row: Row): StoredEvent {
  const position = row.sk.slice(jobRows.event.length);
  return {
    position,
    atMs: Number(position.slice(0, 14)),
    kind: text(row.kind),
    by: text(row.by),
    detail: text(row.detail),
  };
}
