import type { Pass } from '../pass/draft.ts';
import { canAfford, jobRows, spend } from '../pass/rows.ts';
import { isSuspensionReported } from '../pass/suspension.ts';

/** Says of jobs that are suspended that they are, once. */
export function reportSuspended(pass: Pass): void {
  for (const job of pass.suspended.values()) {
    if (isSuspensionReported(job)) continue;
    if (!canAfford(pass, jobRows)) return;
    spend(pass, jobRows);
    pass.suspensions.push(job);
  }
}
