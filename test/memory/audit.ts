import type { AuditEvent, AuditStore } from '../../core/ports/audit.ts';
import { pageOf, type Stored } from './stored.ts';

/** The audit trail in memory. */
export function createMemoryAudit(stored: Stored): AuditStore {
  return {
    async add(event) {
      stored.audit.push(event);
    },
    async list(position, sinceMs, _nowMs, limit) {
      const events = stored.audit.filter(({ atMs }) => atMs >= sinceMs);
      return pageOf(events, positionOf, null, events.length)
        .reverse()
        .map((event) => ({ event, position: positionOf(event) }))
        .filter((it) => position === null || it.position < position)
        .slice(0, limit);
    },
  };
}

const positionOf = ({ atMs, requestId, action, target }: AuditEvent): string =>
  `${String(atMs).padStart(14, '0')}#${requestId}.${action} ${target}`;
