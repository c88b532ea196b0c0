/**
 * Two quotas of the Device Shadow service that are about callers, not documents: requests per
 * second of one shadow, and requests of one connection about one thing that are still unanswered.
 */
import { shadowInFlightMax, shadowRequestsPerSecondMax } from '../limits.ts';
import type { ShadowError } from './request.ts';

export const tooManyRequests: ShadowError = { code: 429, message: 'Too Many Requests' };

/** "Requests per second per device shadow", HTTP and MQTT together. */
export function requestRate(perSecondMax = shadowRequestsPerSecondMax) {
  const recent = new Map<string, number[]>();
  return {
    /** Counts the request when it may go on; a refused request does not count. */
    admits(nowMs: number, shadow: string): boolean {
      const times = recent.get(shadow) ?? [];
      while (times.length > 0 && nowMs - times[0]! >= 1000) times.shift();
      if (times.length >= perSecondMax) return false;
      times.push(nowMs);
      recent.set(shadow, times);
      return true;
    },
    /** Drops what is older than the window. */
    forget(nowMs: number): void {
      for (const [shadow, times] of recent) {
        if (nowMs - (times.at(-1) ?? 0) >= 1000) recent.delete(shadow);
      }
    },
  };
}

/** "more than 10 in-flight requests on a single connection": started but not yet completed. */
export function inFlight(most = shadowInFlightMax) {
  const counts = new Map<string, number>();
  return {
    start(thing: string): boolean {
      const count = counts.get(thing) ?? 0;
      if (count >= most) return false;
      counts.set(thing, count + 1);
      return true;
    },
    end(thing: string): void {
      const count = (counts.get(thing) ?? 1) - 1;
      if (count <= 0) counts.delete(thing);
      else counts.set(thing, count);
    },
  };
}
