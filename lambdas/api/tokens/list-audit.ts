import { ProblemError } from '../../../core/contract/problem.ts';
import { timeSchema } from '../../../core/contract/text-schema.ts';
import { auditTtlSeconds } from '../../../core/model/limits.ts';
import { auditSinceDefaultMs } from '../../limits.ts';
import { badQuery, type Call, checkQuery } from '../http/call.ts';
import { readPaging } from '../http/cursor.ts';
import { pageAnswer } from '../http/page.ts';
import { timeOf } from '../jobs/view/job-view.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';

/**
 * `GET /v1/audit?since=`: who changed what, newest first. Not for tokens limited to a pool or
 * queue.
 */
export const listAudit = defineOperation({
  name: 'listAudit',
  read: (call) => {
    checkQuery(call, ['since', 'limit', 'cursor']);
    return { sinceMs: readSince(call), paging: readPaging(call, list) };
  },
  run: async ({ sinceMs, paging }, { caller, nowMs }, deps: Pick<Ports, 'audit'>) => {
    const { position, limit, cursorOf } = paging;
    if (caller.kind === 'edge' || caller.pool !== null || caller.queue !== null) {
      throw new ProblemError('forbidden', 'The audit trail is for tokens of the whole fleet.');
    }
    const found = await deps.audit.list(position, sinceMs, nowMs, limit + 1);
    const items = found.slice(0, limit).map(({ event }) => ({
      at: timeOf(event.atMs),
      by: event.by,
      action: event.action,
      target: event.target,
      requestId: event.requestId,
    }));
    const last = found[limit - 1];
    const more = found.length > limit && last !== undefined;
    return { items, nextCursor: more ? cursorOf(last.position) : null };
  },
  answer: pageAnswer,
});

const list = { name: 'audit', position: /^\d{14}#[\w=:.-]{1,128}$/ };

function readSince(call: Call): number {
  const { since } = call.query;
  if (since === undefined) return call.nowMs - auditSinceDefaultMs;
  // `Date` alone also reads texts that nobody means as a time.
  const atMs = timeSchema.safeParse(since).success ? Date.parse(since) : Number.NaN;
  if (Number.isNaN(atMs))
    throw badQuery('since', 'This must be a time, like 2026-11-18T09:00:00Z.');
  return Math.max(atMs, call.nowMs - auditTtlSeconds * 1_000);
}
