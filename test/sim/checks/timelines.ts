import { isFinal, type JobState } from '../../../core/model/job.ts';
import type { JobHistory } from '../../../core/ports/jobs.ts';
import type { StoredView } from '../table/stored-view.ts';
import { must } from './truth.ts';

/** What a line of a timeline says that a job became. */
const becomes: ReadonlyMap<string, JobState> = new Map([
  ['scheduled', 'scheduled'],
  ['started', 'running'],
  ['done', 'done'],
  ['failed', 'failed'],
  ['cancelled', 'cancelled'],
]);

const linesMax = 1_000;

/**
 * Timelines are written by functions whose clocks differ, and read by time: nobody reads of an end
 * and then that the job started, or of what it is last before what it was.
 */
export async function checkTimelines(stored: StoredView, jobs: Pick<JobHistory, 'events'>) {
  for (const [id, { status }] of stored.jobs) {
    if (status === null || !isFinal(status.state)) continue;
    const lines = await jobs.events(id, null, linesMax);
    if (lines.length === linesMax) continue;
    const [fromMs, toMs] = [status.startedAtMs ?? status.createdAtMs, status.endedAtMs ?? Infinity];
    must(
      status.createdAtMs <= fromMs && fromMs <= toMs,
      () => `job ${id} was created ${status.createdAtMs}, started ${fromMs}, ended ${toMs}`,
    );
    const kinds = lines.filter(({ by }) => by === 'scheduler').map(({ kind }) => kind);
    const last = kinds.filter((kind) => becomes.has(kind)).at(-1);
    must(
      last !== undefined && becomes.get(last) === status.state,
      () => `the timeline of job ${id} ends with ${last}, and it is ${status.state}: ${kinds}`,
    );
  }
}
