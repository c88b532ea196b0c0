import { pauseMsMax, quietLookMs } from '../limits.ts';
import type { ChangePace } from './change-signal.ts';

/**
 * How long to wait before asking again. Pure, so that it can be tested without waiting.
 *
 * A healthy feed asks every `everyMs` while nobody notes changes for it. While somebody does, it
 * asks less and less often as long as nothing is other than it was, and nearly never when nothing
 * goes on. It never spends more than a sixth of its time on loading: a list that takes a second is
 * asked for every 5 s. Failures double the pause up to half a minute, with jitter so that many open
 * pages do not return together. `Retry-After` is obeyed.
 */
export type Pace = {
  readonly everyMs: number;
  /** Without it nobody notes changes. */
  readonly changes?: ChangePace;
  /** Answers in a row that were as the one before. */
  readonly same?: number;
  readonly costMs: number;
  readonly failures: number;
  readonly retryAfterMs: number | null;
  /** 0 ≤ random < 1 */
  readonly random: number;
};

const costFactor = 5;
const failureMs = 1_000;

export function pauseMs(pace: Pace): number {
  const busy = Math.min(pauseMsMax, pace.costMs * costFactor);
  if (pace.failures === 0) return Math.max(pace.everyMs, busy, noticedMs(pace));
  const doubled = Math.min(pauseMsMax, failureMs * 2 ** Math.min(pace.failures - 1, 10));
  const jittered = doubled * (0.75 + pace.random * 0.5);
  return Math.max(jittered, pace.retryAfterMs ?? 0);
}

function noticedMs({ everyMs, changes = 'asking', same = 0 }: Pace): number {
  if (changes === 'asking') return 0;
  return changes === 'quiet'
    ? quietLookMs
    : Math.min(pauseMsMax, everyMs * 2 ** Math.min(same, 10));
}
