import type { Pass } from '../pass/draft.ts';
import { isSuspensionReported } from '../pass/suspension.ts';
import { canAfford, jobRows, spend } from '../plan/rows.ts';

/**
 * Says of jobs that are suspended that they are, once. Of one with a row that cannot be read
 * nothing is written: that row would be among what is.
 */
export function reportSuspended(pass: Pass): void {
  for (const job of pass.suspended.values()) {
    if (isSuspensionReported(job) || pass.cell.unreadable?.jobs.has(job.id)) continue;
    if (!canAfford(pass, jobRows)) return;
    spend(pass, jobRows);
    pass.suspensions.push(job);
  }
}
