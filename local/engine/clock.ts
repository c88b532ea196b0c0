/**
 * Time as the services see it: what fires by the hour or ages by the minute takes it from here, so
 * that a test can let an hour pass without waiting for it. Durations that are only measured do not
 * need it.
 */
export type Clock = {
  nowMs(): number;
  /** Acts once, after so long; what it answers takes that back. */
  after(ms: number, act: () => void): () => void;
  /** Acts each time when so long has passed, until what it answers is called. */
  every(ms: number, act: () => void): () => void;
};

/** Longer timers of Node end at once (https://nodejs.org/api/timers.html#settimeout). */
const timerMsMax = 2 ** 31 - 1;

/** None of its timers keeps the process alive. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  after(ms, act) {
    let timer: NodeJS.Timeout;
    const wait = (leftMs: number): void => {
      const nextMs = Math.min(leftMs, timerMsMax);
      timer = setTimeout(() => (leftMs > nextMs ? wait(leftMs - nextMs) : act()), nextMs);
      timer.unref();
    };
    wait(Math.max(0, ms));
    return () => clearTimeout(timer);
  },
  every(ms, act) {
    const timer = setInterval(act, ms);
    timer.unref();
    return () => clearInterval(timer);
  },
};
