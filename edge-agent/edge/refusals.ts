import type { JobId } from '../../core/model/names.ts';
import type { Step } from './next-steps.ts';

/** The jobs that this edge will not run, and why: in every report, and logged once. */
export type Refusals = {
  byJob(): ReadonlyMap<JobId, string>;
  /** What the steps refuse now is all that is refused; answers whether that is news. */
  take(steps: readonly Step[]): boolean;
};

export function makeRefusals(say: (line: string) => void): Refusals {
  let refusals: ReadonlyMap<JobId, string> = new Map();
  return {
    byJob: () => refusals,
    take(steps) {
      const next = new Map<JobId, string>();
      for (const step of steps) if (step.kind === 'refuse') next.set(step.job, step.reason);
      const isSame =
        next.size === refusals.size &&
        [...next].every(([job, reason]) => refusals.get(job) === reason);
      if (isSame) return false;
      for (const [job, reason] of next) {
        if (!refusals.has(job)) say(`refuses job ${job}: ${reason}`);
      }
      refusals = next;
      return true;
    },
  };
}
