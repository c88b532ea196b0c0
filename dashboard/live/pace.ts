import { pauseMsMax } from '../limits.ts';

/**
 * How long to wait before asking again. Pure, so that it can be tested without waiting.
 *
 * A healthy feed asks every `everyMs`, but never spends more than a sixth of its time on loading: a
 * list that takes a second is asked for every 5 s. Failures double the pause up to half a minute,
 * with jitter so that many open pages do not return together. `Retry-After` is obeyed.
 */
export type Pace = {
  readonly everyMs: number;
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
  if (pace.failures === 0) return Math.max(pace.everyMs, busy);
  const doubled = Math.min(pauseMsMax, failureMs * 2 ** Math.min(pace.failures - 1, 10));
  const jittered = doubled * (0.75 + pace.random * 0.5);
  return Math.max(jittered, pace.retryAfterMs ?? 0);
}
