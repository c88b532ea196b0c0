import type { Bug } from './bugs.ts';

/** Bugs in which clock is believed. */
export const clockBugs: readonly Bug[] = [
  {
    name: 'agent-measures-by-the-wall-clock',
    sentence: 'an agent whose clock is set waits for as long as it was set back',
    clock: (clock) => ({ ...clock, monotonicMs: () => clock.nowMs() }),
  },
  {
    name: 'functions-have-one-clock',
    sentence: 'a job started when the pass that placed it says, whenever it was created',
    commit: (plan) => {
      const folds = [...plan.folds].map(([id, fold]) => {
        const startedAtMs = plan.jobStatuses.get(id)?.startedAtMs ?? fold.next.startedAtMs;
        return [id, { ...fold, next: { ...fold.next, startedAtMs } }] as const;
      });
      return { ...plan, folds: new Map(folds) };
    },
  },
];
