import type { Bug } from './bugs.ts';

/** Bugs in which clock is believed. */
export const clockBugs: readonly Bug[] = [
  {
    name: 'agent-measures-by-the-wall-clock',
    sentence: 'an agent whose clock is set waits for as long as it was set back',
    clock: (clock) => ({ ...clock, monotonicMs: () => clock.nowMs() }),
  },
];
