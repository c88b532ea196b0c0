/** Token buckets: a rate per second and a burst, as stages and routes of an API have them. */
import type { Throttle } from './definition.ts';

export type TokenBucket = {
  take(): boolean;
};

export function tokenBucket(throttle: Throttle, nowMs: () => number): TokenBucket {
  let tokens = throttle.burst;
  let atMs = nowMs();
  return {
    take: () => {
      const now = nowMs();
      const gained = ((now - atMs) / 1000) * throttle.ratePerSecond;
      tokens = Math.min(throttle.burst, tokens + gained);
      atMs = now;
      if (tokens < 1) return false;
      tokens -= 1;
      return true;
    },
  };
}
