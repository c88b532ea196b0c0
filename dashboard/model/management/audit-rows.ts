import type { AuditEvent } from '../../../core/contract/resources.ts';
import { type AuditFilter, noFleetFilter, type Route } from '../../route/route.ts';

/** The trail of changes: how far back, which of them, and where what was changed is. Pure. */
export const auditSpans = [
  ['', 'day', 24 * 3_600_000],
  ['hour', 'hour', 3_600_000],
  ['week', 'week', 7 * 24 * 3_600_000],
  ['quarter', '90 days', 90 * 24 * 3_600_000],
] as const;

/** Of a span that nobody knows: that of an address without one. */
export function auditPath({ span }: Pick<AuditFilter, 'span'>, nowMs: number): string {
  const [, , spanMs] = auditSpans.find(([key]) => key === span) ?? auditSpans[0];
  return `/v1/audit?since=${new Date(nowMs - spanMs).toISOString()}`;
}

export function findAudit(events: readonly AuditEvent[], text: string): readonly AuditEvent[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return events;
  return events.filter(({ by, action, target, requestId }) =>
    [by, action, actionWords(action), target, requestId].some((one) =>
      one.toLowerCase().includes(wanted),
    ),
  );
}

/** `job-purged` is `job purged`; what follows a colon stays as it is. */
export function actionWords(action: string): string {
  const [head = '', ...rest] = action.split(':');
  return [head.replaceAll('-', ' '), ...rest].join(':');
}

/** The page of what was changed; `null` of what has none. */
export function auditTarget({ action, target }: AuditEvent): Route | null {
  const [noun = ''] = action.split('-', 1);
  if (/-(removed|purged|revoked)\b/.test(action)) return null;
  switch (noun) {
    case 'job':
      return { page: 'job', id: target };
    case 'jobspec':
      return { page: 'jobspec', id: target };
    case 'edge':
    case 'cluster':
      return { page: 'edge', name: target };
    case 'schedule':
      return { page: 'schedule', name: target };
    case 'pool':
      return { page: 'fleet', filter: { ...noFleetFilter, pool: target } };
    case 'queue':
      return { page: 'queues' };
    case 'token':
      return { page: 'tokens' };
    default:
      return null;
  }
}
