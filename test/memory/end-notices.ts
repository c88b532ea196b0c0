import type { EndNotices } from '../../core/ports/end-notices.ts';
import { withEnd } from '../../core/webhooks/end-notice.ts';
import { eventPosition } from './jobs.ts';
import { rowsOf, type Stored } from './stored.ts';

/** Notices in memory. */
export function createMemoryEndNotices(stored: Stored): EndNotices {
  const { notices } = stored;
  return {
    find: async (job) => notices.get(job) ?? null,
    async add(job, event, nowMs) {
      const next = withEnd(job, notices.get(job) ?? null, event, nowMs);
      if (next !== null) notices.set(job, next);
    },
    async due(nowMs, limit) {
      return [...notices.values()]
        .filter(({ waiting, nextAtMs }) => waiting.length > 0 && nextAtMs <= nowMs)
        .sort((a, b) => a.nextAtMs - b.nextAtMs || (a.job < b.job ? -1 : 1))
        .slice(0, limit)
        .map(({ job }) => job);
    },
    async save(next, seenTurn, line) {
      if (notices.get(next.job)?.turn !== seenTurn) return false;
      notices.set(next.job, next);
      if (line !== undefined) rowsOf(stored, next.job).events.set(eventPosition(line), line);
      return true;
    },
  };
}
