/**
 * Waits that double and are jittered over their whole length, so that a fleet does not return all
 * at once.
 */
export type Backoff = { next(): number; reset(): void };

export function makeBackoff(
  minMs: number,
  maxMs: number,
  random: () => number = Math.random,
): Backoff {
  let limitMs = minMs;
  return {
    next() {
      const waitMs = minMs / 2 + random() * (limitMs - minMs / 2);
      limitMs = Math.min(maxMs, limitMs * 2);
      return waitMs;
    },
    reset() {
      limitMs = minMs;
    },
  };
}
