import { isFinal, type JobState } from '../model/job.ts';
import { percentOf } from '../model/job-status.ts';
import type { JobWithStatus } from '../model/stored-job.ts';
import type { Submission } from '../model/submission.ts';

/**
 * What became of a submission: a fold of its jobs, and of those that were never made. It has failed
 * when one ended badly and nothing is left to run.
 */
export type SubmissionStatus = {
  readonly state: JobState;
  readonly percent: number;
  readonly tasks: Readonly<Record<TaskCount, number>>;
  readonly reason: string | null;
};

export type TaskCount = 'total' | 'waiting' | 'running' | 'done' | 'failed' | 'cancelled';

/** Of one that was accepted although nobody has what it asks for. */
export const noClusterMatches = 'no-cluster-matches';

/** Of each job by the name of its unit; one that is not there yet waits to be made. */
export function unitStates(
  submission: Submission,
  found: ReadonlyMap<string, JobWithStatus>,
): ReadonlyMap<string, JobState> {
  return new Map(
    submission.jobs.map(({ unit, id }) => {
      const job = found.get(id);
      if (job !== undefined) return [unit, job.status.state];
      if (submission.cancelledAtMs !== null) return [unit, 'cancelled'];
      return [unit, submission.impossible.includes(unit) ? 'failed' : 'waiting'];
    }),
  );
}

export function submissionStatus(
  submission: Submission,
  found: ReadonlyMap<string, JobWithStatus>,
): SubmissionStatus {
  const tasks = { total: 0, waiting: 0, running: 0, done: 0, failed: 0, cancelled: 0 };
  let percent = 0;
  let begun = false;
  let reason: string | null = null;
  const states = unitStates(submission, found);
  for (const { unit, id, after } of submission.jobs) {
    const state = states.get(unit)!;
    const status = found.get(id)?.status;
    tasks.total++;
    tasks[countOf(state)]++;
    percent += status === undefined ? 0 : percentOf(status);
    begun ||= state !== 'waiting' && state !== 'pending';
    if (state !== 'failed') continue;
    const bad = after.filter((name) => states.get(name) === 'failed');
    const because = bad.map((name) => `"${name}"`).join(' and ');
    if (bad.length > 0) reason ??= `"${unit}" could not start: ${because} failed`;
    else reason = `"${unit}" failed${status?.reason == null ? '' : `: ${status.reason}`}`;
  }
  if (!begun && submission.cluster === null) reason ??= noClusterMatches;
  const open = tasks.waiting + tasks.running;
  const ended = { ...tasks, open };
  return {
    state: stateOf(ended, begun, [...states.values()]),
    percent: Math.floor(percent / Math.max(1, tasks.total)),
    tasks,
    reason,
  };
}

function countOf(state: JobState): Exclude<TaskCount, 'total'> {
  if (state === 'pending' || state === 'waiting') return 'waiting';
  return isFinal(state) ? (state as 'done' | 'failed' | 'cancelled') : 'running';
}

function stateOf(
  tasks: Readonly<Record<TaskCount | 'open', number>>,
  begun: boolean,
  states: readonly JobState[],
): JobState {
  if (tasks.open > 0) {
    if (begun) return 'running';
    return states.includes('pending') ? 'pending' : 'waiting';
  }
  if (tasks.failed > 0) return 'failed';
  return tasks.cancelled > 0 ? 'cancelled' : 'done';
}
