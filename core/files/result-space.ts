import type { JobSpec } from '../model/job.ts';
import type { JobId } from '../model/names.ts';
import { keepDaysDefault, keepDaysMax, keptDays } from './limits.ts';

/**
 * Results belong to their job, apart from all others, so that they go with it. For how many days
 * they are kept is part of their place: the store itself removes what is older.
 */
export function resultSpaceOf(job: {
  readonly id: JobId;
  readonly spec: Pick<JobSpec, 'keepDays'>;
}): string {
  const asked = job.spec.keepDays ?? keepDaysDefault;
  const days = keptDays.find((each) => each >= asked) ?? keepDaysMax;
  return `${days}-${job.id}`;
}
