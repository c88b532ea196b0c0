import { isFinal } from '../../../core/model/job.ts';
import type { JobId } from '../../../core/model/names.ts';
import type { StoredJob } from '../../../core/model/stored-job.ts';
import type { StoredView } from './stored-view.ts';

type Jobs = Pick<StoredView, 'jobs'>;

export function jobsIn({ jobs }: Jobs): StoredJob[] {
  return [...jobs.values()].flatMap(({ job }) => job ?? []);
}

/** Those that come to an end by themselves. */
export function batchJobsIn(stored: Jobs): StoredJob[] {
  return jobsIn(stored).filter(({ spec }) => spec.restart === undefined);
}

export function servicesIn(stored: Jobs): StoredJob[] {
  return jobsIn(stored).filter(({ spec }) => spec.restart !== undefined);
}

export function doneJobsIn({ jobs }: Jobs): ReadonlySet<JobId> {
  return new Set([...jobs.keys()].filter((id) => jobs.get(id)?.status?.state === 'done'));
}

export function openJobsIn({ jobs }: Jobs): JobId[] {
  return [...jobs].flatMap(([id, { status }]) => (isFinal(status!.state) ? [] : id));
}
