import type { WaitingCount } from '../../model/plan.ts';
import type { JobDraft } from '../pass/draft.ts';

/** Why chunks wait, as it is remembered of the status that was written last: by names alone. */
export function reasonsOf(job: JobDraft): string[] {
  return (job.waiting ?? []).map(({ reason }) => reason);
}

export function sameReasons(
  waiting: readonly WaitingCount[],
  reportedReasons: readonly string[],
): boolean {
  return (
    waiting.length === reportedReasons.length &&
    waiting.every(({ reason }, i) => reason === reportedReasons[i])
  );
}
