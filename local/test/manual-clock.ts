/** A clock that stands still until a test lets time pass. */
import type { Clock } from '../engine/clock.ts';

export type ManualClock = Clock & {
  /** Everything that is due on the way happens, in its order, at its time. */
  pass(ms: number): void;
};

type Alarm = { atMs: number; readonly everyMs: number | undefined; readonly act: () => void };

export function manualClock(startMs: number): ManualClock {
  let nowMs = startMs;
  const alarms = new Set<Alarm>();
  const add = (alarm: Alarm): (() => void) => {
    alarms.add(alarm);
    return () => void alarms.delete(alarm);
  };
  const nextUntil = (endMs: number): Alarm | undefined =>
    [...alarms].filter(({ atMs }) => atMs <= endMs).sort((a, b) => a.atMs - b.atMs)[0];
  return {
    nowMs: () => nowMs,
    after: (ms, act) => add({ atMs: nowMs + Math.max(0, ms), everyMs: undefined, act }),
    every: (ms, act) => add({ atMs: nowMs + ms, everyMs: ms, act }),
    pass(ms) {
      const endMs = nowMs + ms;
      for (let next = nextUntil(endMs); next !== undefined; next = nextUntil(endMs)) {
        nowMs = next.atMs;
        if (next.everyMs === undefined) alarms.delete(next);
        else next.atMs += next.everyMs;
        next.act();
      }
      nowMs = endMs;
    },
  };
}
