import { auditTtlSeconds } from '../../../core/model/limits.ts';
import type { AuditEvent, AuditStore } from '../../../core/ports/audit.ts';
import { auditKey, auditTimeDigits } from '../keys.ts';
import { amount, text } from '../rows/row-values.ts';
import type { Row, Table } from '../table.ts';

/** One partition a day, so that none grows without end. */
const dayMs = 86_400_000;

export function createAuditStore(table: Table): AuditStore {
  return {
    async add(event) {
      const expiresAt = Math.ceil(event.atMs / 1_000) + auditTtlSeconds;
      await table.put({ ...auditKey(event.atMs, event.requestId), ...event, expiresAt });
    },

    async list(position, sinceMs, nowMs, limit) {
      const found: Row[] = [];
      const start = position === null ? nowMs : Number(position.slice(0, auditTimeDigits));
      for (let at = start; at > sinceMs - dayMs && found.length < limit; at -= dayMs) {
        const { pk } = auditKey(at, '');
        const after = position !== null && at === start ? { after: { pk, sk: position } } : {};
        const page = await table.query({
          pk,
          backwards: true,
          limit: limit - found.length,
          ...after,
        });
        const wanted = page.rows.filter((row) => amount(row.atMs) >= sinceMs);
        found.push(...wanted);
        if (wanted.length < page.rows.length) break;
      }
      return found.map((row) => ({ event: decodeAudit(row), position: row.sk }));
    },
  };
}

function decodeAudit(row: Row): AuditEvent {
  return {
    atMs: amount(row.atMs),
    by: text(row.by),
    action: text(row.action),
    target: text(row.target),
    requestId: text(row.requestId),
  };
}
