import type { Slice } from '../model/cell.ts';
import type { WaitingCount } from '../model/plan.ts';

/**
 * The same reasons; that chunks failed says when the first of them is tried again, and after what.
 * What is stored of a status does not: it would be written anew for each failure.
 */
export function withRetryWords(
  counts: readonly WaitingCount[],
  retries: Slice['retries'],
  nowMs: number,
): WaitingCount[] {
  const due = [...retries.values()].filter(({ dueAtMs }) => dueAtMs > nowMs);
  const [first] = due.sort((a, b) => a.dueAtMs - b.dueAtMs);
  if (first === undefined) return [...counts];
  const at = new Date(first.dueAtMs).toISOString().slice(11, 19);
  const after = typeof first.last === 'number' ? `exit code ${first.last}` : first.last;
  const detail = `tried again at ${at} after ${after}`;
  return counts.map((count) => (count.reason === 'backoff' ? { ...count, detail } : count));
}
