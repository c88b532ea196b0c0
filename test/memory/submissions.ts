import type { SubmissionsStore } from '../../core/ports/submissions.ts';
import { answerKey } from './idempotency.ts';
import type { Stored } from './stored.ts';

/** Submissions in memory. */
export function createMemorySubmissions(stored: Stored): SubmissionsStore {
  const all = stored.submissions;
  const newestFirst = () =>
    [...all.values()].sort((a, b) => b.createdAtMs - a.createdAtMs || (a.id < b.id ? 1 : -1));
  const positionOf = (id: string, atMs: number) => `${String(atMs).padStart(14, '0')}-${id}`;
  return {
    async find(id) {
      return all.get(id) ?? null;
    },
    async list(pool, position, limit) {
      return newestFirst()
        .filter((it) => it.pool === pool)
        .map(({ id, createdAtMs }) => ({ id, position: positionOf(id, createdAtMs) }))
        .filter((it) => position === null || it.position < position)
        .slice(0, limit);
    },
    async listOpen(limit) {
      const open = newestFirst().filter((it) => it.isOpen && !it.waits);
      return open
        .toReversed()
        .map(({ id }) => id)
        .slice(0, limit);
    },
    async listWaiting(limit) {
      const waiting = newestFirst().filter((it) => it.isOpen && it.waits);
      const oldestFirst = waiting.sort((a, b) => a.lookedAtMs - b.lookedAtMs);
      return oldestFirst.map(({ id }) => id).slice(0, limit);
    },
    async create(submission, kept, audit) {
      if (all.has(submission.id)) return 'id-taken';
      const key = kept === null ? null : answerKey(kept.request);
      if (key !== null && stored.firstAnswers.has(key)) return 'key-taken';
      if (key !== null && kept !== null) {
        const { digest } = kept.request;
        const answer = { digest, startedAtMs: kept.atMs, answer: kept.answer };
        stored.firstAnswers.set(key, answer);
      }
      all.set(submission.id, submission);
      stored.audit.push(audit);
      return 'created';
    },
    async save(next, seenVersion) {
      if (all.get(next.id)?.version !== seenVersion) return false;
      all.set(next.id, next);
      return true;
    },
    async remove(id) {
      all.delete(id);
    },
  };
}
