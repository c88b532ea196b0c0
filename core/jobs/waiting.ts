import type { WaitingReason } from '../contract/waiting-reason.ts';
import { waitingExamplesMax } from '../model/limits.ts';
import type { WaitingCount } from '../model/plan.ts';

/**
 * The same reason from several cells is one: chunks and edges added up, a few examples kept. The
 * status of a job and the answers that explain it say the same.
 */
export function mergeWaiting(counts: readonly WaitingCount[]): WaitingCount[] {
  const byReason = new Map<WaitingReason, WaitingCount>();
  for (const count of counts) {
    const before = byReason.get(count.reason);
    const merged = before === undefined ? count : merge(before, count);
    byReason.set(count.reason, merged);
  }
  return [...byReason.values()];
}

function merge(before: WaitingCount, more: WaitingCount): WaitingCount {
  return {
    ...before,
    chunks: before.chunks + more.chunks,
    edges: before.edges + more.edges,
    examples: [...before.examples, ...more.examples].slice(0, waitingExamplesMax),
  };
}

/** What no other edge would help. */
const elsewhereInVain: ReadonlySet<WaitingReason> = new Set(['backoff', 'dependency', 'quota']);

/**
 * Of a service, whose instances are all in one cell of its pool: that edges of other cells are not
 * for them. `others`: how many edges those have.
 */
export function withCellWords(
  counts: readonly WaitingCount[],
  others: number,
): readonly WaitingCount[] {
  if (others === 0) return counts;
  const words = `a service stays in one cell of its pool, and ${others} edges are in others`;
  return counts.map((count) => {
    if (elsewhereInVain.has(count.reason)) return count;
    return { ...count, detail: count.detail === '' ? words : `${count.detail}; ${words}` };
  });
}
