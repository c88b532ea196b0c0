import { auditTtlSeconds } from '../../../core/model/limits.ts';
import type { AuditEvent, AuditStore } from '../../../core/ports/audit.ts';
import { auditKey, auditPartitions, auditTimeDigits } from '../keys.ts';
import { text, time } from '../rows/row-values.ts';
import { readableOrReported } from '../rows/unreadable-row.ts';
import type { Row, Table, Write } from '../table.ts';

/**
 * A few partitions a day: none grows without end, and submitting many jobs a second writes to no
 * single one. Rows of earlier versions lie in one of the day without a number.
 */
const dayMs = 86_400_000;

export function createAuditStore(table: Table): AuditStore {
  return {
    async add(event) {
      await table.put(auditRow(event));
    },

    async list(position, sinceMs, nowMs, limit) {
      const found: Row[] = [];
      // Nothing is newer than now, whatever a cursor says: the days since then are never walked.
      const from = position === null ? nowMs : Number(position.slice(0, auditTimeDigits));
      const start = Math.min(nowMs, from);
      for (let at = start; at > sinceMs - dayMs && found.length < limit; at -= dayMs) {
        const after = at === start ? position : null;
        const rows = await newestOfDay(table, at, after, limit - found.length);
        const wanted = rows.filter((row) => timeOf(row) >= sinceMs);
        found.push(...wanted);
        if (wanted.length < rows.length) break;
      }
      return found.map((row) => ({
        event: readableOrReported(table, row, decodeAudit) ?? unreadableEvent(row),
        position: row.sk,
      }));
    },
  };
}

/** To be stored in one transaction with what it is about. */
export function putAudit(event: AuditEvent): Write {
  return { kind: 'put', row: auditRow(event) };
}

function auditRow(event: AuditEvent): Row {
  const expiresAt = Math.ceil(event.atMs / 1_000) + auditTtlSeconds;
  return { ...auditKey(event), ...event, expiresAt };
}

async function newestOfDay(
  table: Table,
  atMs: number,
  position: string | null,
  limit: number,
): Promise<Row[]> {
  const pages = await Promise.all(
    auditPartitions(atMs).map((pk) => {
      const after = position === null ? {} : { after: { pk, sk: position } };
      return table.query({ pk, backwards: true, limit, ...after });
    }),
  );
  return pages
    .flatMap((page) => page.rows)
    .sort((a, b) => (a.sk < b.sk ? 1 : -1))
    .slice(0, limit);
}

function timeOf({ sk }: Row): number {
  return Number(sk.slice(0, auditTimeDigits)) || 0;
}

/** That something was done then stays in the trail. */
function unreadableEvent(row: Row): AuditEvent {
  const requestId = row.sk.slice(auditTimeDigits + 1);
  return { atMs: timeOf(row), by: '', action: 'unreadable', target: '', requestId };
}

function decodeAudit(row: Row): AuditEvent {
  return {
    atMs: time(row.atMs),
    by: text(row.by),
    action: text(row.action),
    target: text(row.target),
    requestId: text(row.requestId),
  };
}
