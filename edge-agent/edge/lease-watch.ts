import type { JobId } from '../../core/model/names.ts';
import { count } from '../../core/model/ranges.ts';
import type { Work } from '../../core/protocol/work.ts';
import { emptyLedger, type JobLedger } from './ledger.ts';
import { type RunningChunk, startable } from './next-steps.ts';

/** Knows the ends of chunks that the scheduler waits for: of a lease that is over or runs low. */
export type LeaseWatch = {
  /**
   * A chunk of this job has ended: is that to be reported at once? Running low is, once an epoch.
   */
  isUrgent(
    job: JobId,
    work: Work,
    ledger: JobLedger | undefined,
    running: ReadonlyMap<number, RunningChunk> | undefined,
  ): boolean;
};

export function makeLeaseWatch(): LeaseWatch {
  const lowAtEpoch = new Map<JobId, number>();
  return {
    isUrgent(job, work, ledger, running) {
      for (const known of lowAtEpoch.keys()) if (!work.jobs.has(known)) lowAtEpoch.delete(known);
      const entry = work.jobs.get(job);
      const open =
        entry === undefined ? 0 : count(startable(entry, ledger ?? emptyLedger, running));
      if (open === 0 && running === undefined) return true;
      if (entry === undefined || open >= entry.slots) return false;
      if (lowAtEpoch.get(job) === work.epoch) return false;
      lowAtEpoch.set(job, work.epoch);
      return true;
    },
  };
}
