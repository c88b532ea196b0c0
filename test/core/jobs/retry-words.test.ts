import { expect, test } from 'vitest';
import { withRetryWords } from '../../../core/jobs/retry-words.ts';
import type { WaitingCount } from '../../../core/model/plan.ts';

const nowMs = Date.parse('2026-01-01T16:21:00Z');
const waits = (reason: WaitingCount['reason'], detail: string): WaitingCount => ({
  ...{ reason, detail, chunks: 1, edges: 0, examples: [] },
});
const counts = [waits('backoff', 'failed'), waits('no-free-power', 'too little')];
const retryAt = (seconds: number, last: number | string) => ({
  ...{ failures: 1, dueAtMs: nowMs + seconds * 1_000, last },
});

test('what failed says when the first of it is tried again, and after what', () => {
  const retries = new Map([
    [0, retryAt(90, 'timeout')],
    [1, retryAt(40, 1)],
    [2, retryAt(-5, 2)],
  ]);
  expect(withRetryWords(counts, retries, nowMs)).toEqual([
    waits('backoff', 'tried again at 16:21:40 after exit code 1'),
    counts[1],
  ]);
  retries.delete(1);
  expect(withRetryWords(counts, retries, nowMs)[0]?.detail).toBe(
    'tried again at 16:22:30 after timeout',
  );
});

test('where all of it is due already the reason stays as it is', () => {
  expect(withRetryWords(counts, new Map([[0, retryAt(0, 1)]]), nowMs)).toEqual(counts);
});
