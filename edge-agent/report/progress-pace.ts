import { progressEveryMs } from '../../core/model/limits.ts';
import type { JobId } from '../../core/model/names.ts';
import { progressEveryMsMax } from '../limits.ts';

/**
 * How soon mere progress of a job is reported. A report a second for as long as a job lasts would
 * cost more than all the rest of it, and nobody looks that closely at hour three: so the wait grows
 * with the time that the job has been worked on here. What the scheduler waits for is never subject
 * to this.
 */
export type ProgressPace = {
  waitMs(job: JobId, nowMs: number): number;
  /** Until the next progress of any of these. */
  nextMs(jobs: Iterable<JobId>, nowMs: number): number;
  /** Jobs that are no longer worked on here begin anew when they return. */
  keepOnly(jobs: { has(job: JobId): boolean }): void;
};

/** The wait is this part of the time since the job began. */
const partOfAge = 1 / 4;

export function makeProgressPace(): ProgressPace {
  const beganAtMs = new Map<JobId, number>();
  const pace: ProgressPace = {
    waitMs(job, nowMs) {
      const began = beganAtMs.get(job);
      if (began === undefined) beganAtMs.set(job, nowMs);
      const waitMs = (nowMs - (began ?? nowMs)) * partOfAge;
      return Math.min(progressEveryMsMax, Math.max(progressEveryMs, waitMs));
    },
    nextMs(jobs, nowMs) {
      return Math.min(progressEveryMsMax, ...[...jobs].map((job) => pace.waitMs(job, nowMs)));
    },
    keepOnly(jobs) {
      for (const job of beganAtMs.keys()) if (!jobs.has(job)) beganAtMs.delete(job);
    },
  };
  return pace;
}
