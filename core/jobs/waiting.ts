import type { WaitingCount } from '../../../core/plan.ts';

/**
 * The same reason from several cells is one line: chunks and edges added up, a few examples kept.
 */
const examplesMax = 5;

export function mergeWaiting(counts: readonly WaitingCount[]): WaitingCount[] {
  const byReason = new Map<string, WaitingCount>();
  for (const count of counts) {
    const before = byReason.get(count.reason);
    const examples = [...(before?.examples ?? []), ...count.examples].slice(0, examplesMax);
    byReason.set(count.reason, {
      ...(before ?? count),
      chunks: (before?.chunks ?? 0) + count.chunks,
      edges: (before?.edges ?? 0) + count.edges,
      examples,
    });
  }
  return [...byReason.values()];
}
