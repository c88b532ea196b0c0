import { timerMsMax } from '../limits.ts';

/**
 * Time as an argument: the agent asks this and nothing else, so that a test can shorten half an
 * hour to a second.
 */
export type Clock = {
  /** Wall clock, for what outlives the process. */
  nowMs(): number;
  /** Never jumps; for measuring. */
  monotonicMs(): number;
  /** Runs once, later; the answer cancels it. */
  after(delayMs: number, run: () => void): () => void;
};

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, Math.min(delayMs, timerMsMax));
    return () => clearTimeout(timer);
  },
};

export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = (): void => {
      cancel();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.after(delayMs, done);
    signal?.addEventListener('abort', done, { once: true });
  });
}

/** In this host's time zone: owners write their hours as their clock shows them. */
export function minuteOfDay(clock: Clock): number {
  const now = new Date(clock.nowMs());
  return now.getHours() * 60 + now.getMinutes();
}
