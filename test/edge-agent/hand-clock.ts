import type { Clock } from '../../edge-agent/host/clock.ts';

/** A clock that a test winds by hand: what is due next runs when the test says so. */
export type HandClock = Clock & {
  /** The wait of what is due next; `null` when nothing is. */
  nextWaitMs(): number | null;
  /** Runs what is due next, and whatever follows from it without waiting. */
  wind(): Promise<void>;
};

export function makeHandClock(startMs = 1_000_000): HandClock {
  let nowMs = startMs;
  const timers = new Set<{ atMs: number; run: () => void }>();
  const next = () => [...timers].sort((a, b) => a.atMs - b.atMs)[0] ?? null;
  return {
    nowMs: () => nowMs,
    monotonicMs: () => nowMs,
    after(delayMs, run) {
      const timer = { atMs: nowMs + delayMs, run };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    nextWaitMs() {
      const timer = next();
      return timer === null ? null : timer.atMs - nowMs;
    },
    async wind() {
      const timer = next();
      if (timer === null) throw new Error('nothing is due');
      timers.delete(timer);
      nowMs = Math.max(nowMs, timer.atMs);
      timer.run();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}
