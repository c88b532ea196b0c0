import { rollUp } from '../../../core/jobs/rollup.ts';
import { type JobState, noChunks } from '../../../core/model/job.ts';
import { type JobStatus, newJobStatus } from '../../../core/model/job-status.ts';
import { cellIdOf, jobIdOf } from '../../../core/model/names.ts';
import type { JobCellStatus } from '../../../core/model/plan.ts';
import { makeCellStatus, startMs } from '../cell-fixture.ts';

/** Jobs in two cells, and what these count. */
export const job = jobIdOf('job-1');
export const north = cellIdOf('default.0');
export const south = cellIdOf('default.1');
export const endMs = startMs + 9_000;

export function makeStatus(over: Partial<JobStatus> = {}): JobStatus {
  const status = newJobStatus({
    job,
    name: null,
    pool: 'default',
    queue: 'default',
    labels: {},
    chunking: { chunks: 4, chunkPower: 100, lastChunkPower: 103 },
    cells: [north],
    dependsOn: [],
    createdAtMs: startMs,
    maxFailedChunks: null,
  });
  return { ...status, ...over };
}

export function counted(
  counts: Partial<JobCellStatus['counts']>,
  over: Partial<JobCellStatus> = {},
): JobCellStatus {
  const donePower = (counts.done ?? 0) * 100;
  return makeCellStatus(job, { counts: { ...noChunks, ...counts }, donePower, ...over });
}

export function roll(
  status: JobStatus,
  cells: Record<string, JobCellStatus>,
  parents: Record<string, JobState> = {},
) {
  const view = {
    status,
    cells: new Map(Object.entries(cells).map(([cell, it]) => [cellIdOf(cell), it])),
    parents: new Map(Object.entries(parents).map(([parent, it]) => [jobIdOf(parent), it])),
  };
  return rollUp(view, endMs);
}
