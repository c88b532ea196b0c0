import type { FleetEvent } from '../../../core/events/fleet-event.ts';
import type { EndNotice } from '../../../core/webhooks/end-notice.ts';
import { endNoticeKeptMs } from '../../../core/webhooks/limits.ts';
import type { DeliveryAttempt } from '../../../core/webhooks/webhook.ts';
import { noticeKey, noticeListKey } from '../events/notice-keys.ts';
import { jobOfRow } from '../keys.ts';
import { expiryAttribute } from '../schema.ts';
import type { Row } from '../table.ts';
import { areEvents } from './event-shapes.ts';
import { json, time, whole } from './row-values.ts';
import { isText, listOf, orNull, recordOf } from './shapes.ts';

/** `JOB#<id>/NOTICE`: in the list while something waits, by when that is due. */
export function encodeEndNotice(notice: EndNotice): Row {
  const { job, waiting, settled, last, nextAtMs, ...plain } = notice;
  const listed = waiting.length === 0 ? {} : noticeListKey(job, nextAtMs);
  const texts = {
    waiting: JSON.stringify(waiting),
    settled: JSON.stringify(settled),
    last: JSON.stringify(last),
  };
  const expiry = Math.ceil((nextAtMs + endNoticeKeptMs) / 1_000);
  return { ...noticeKey(job), ...listed, ...plain, ...texts, nextAtMs, [expiryAttribute]: expiry };
}

export const isAttempt = orNull(
  recordOf({
    atMs: Number.isFinite,
    event: isText,
    status: orNull(Number.isSafeInteger),
    error: orNull(isText),
  }),
);

export function decodeEndNotice(row: Row): EndNotice {
  return {
    job: jobOfRow(row),
    waiting: json<FleetEvent[]>(row.waiting, areEvents, []),
    settled: json<string[]>(row.settled, listOf(isText), []),
    failures: whole(row.failures),
    nextAtMs: time(row.nextAtMs, 0),
    last: json<DeliveryAttempt | null>(row.last, isAttempt, null),
    turn: whole(row.turn),
  };
}
