import { auditTtlSeconds } from '../../../core/limits.ts';
import { ProblemError } from '../../../core/wire/problem.ts';
import { type Answer, badQuery, type Call, callerOf, checkQuery } from '../http/call.ts';
import { encodeCursor, readCursor, readLimit } from '../http/cursor.ts';
import type { Ports } from '../ports.ts';
import { timeOf } from '../views/job-view.ts';

/**
 * `GET /v1/audit?since=`: who changed what, newest first. Not for tokens limited to a pool or
 * queue.
 */
export async function listAudit(call: Call, deps: Pick<Ports, 'audit'>): Promise<Answer> {
  checkQuery(call, ['since', 'limit', 'cursor']);
  const caller = callerOf(call);
  if (caller.kind !== 'token' || caller.pool !== null || caller.queue !== null) {
    throw new ProblemError('forbidden', 'The audit trail is for tokens of the whole fleet.');
  }
  const limit = readLimit(call);
  const position = readCursor(call, 'audit', /^\d{14}#[\w=:.-]{1,128}$/);
  const found = await deps.audit.list(position, readSince(call), call.nowMs, limit + 1);
  const items = found.slice(0, limit).map(({ event }) => ({
    at: timeOf(event.atMs),
    by: event.by,
    action: event.action,
    target: event.target,
    requestId: event.requestId,
  }));
  const last = found[limit - 1];
  const more = found.length > limit && last !== undefined;
  const nextCursor = more ? encodeCursor(call, 'audit', last.position) : null;
  return { status: 200, body: { items, nextCursor } };
}

const sinceDefaultMs = 24 * 3_600_000;

function readSince(call: Call): number {
  const { since } = call.query;
  if (since === undefined) return call.nowMs - sinceDefaultMs;
  const atMs = Date.parse(since);
  if (Number.isNaN(atMs))
    throw badQuery('since', 'This must be a time, like 2026-11-18T09:00:00Z.');
  return Math.max(atMs, call.nowMs - auditTtlSeconds * 1_000);
}
