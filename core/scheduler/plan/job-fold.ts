import { rollUp } from '../../jobs/rollup.ts';
import { isFinal } from '../../model/job.ts';
import type { JobEvent } from '../../model/job-event.ts';
import { newJobStatus } from '../../model/job-status.ts';
import type { JobCellStatus, JobFold } from '../../model/plan.ts';
import { count } from '../../model/ranges.ts';
import type { JobDraft, Pass } from '../pass/draft.ts';

/**
 * The status of a job that lives in one cell, written by the cell's pass itself in the commit that
 * changes its counts. It is the fold that the rollup would make of this cell alone; what the rollup
 * does besides (several cells, jobs that wait for this one, retries, cancellations) stays with it:
 * such jobs are not the pass's to fold.
 */
export function foldOf(pass: Pass, job: JobDraft, counted: JobCellStatus): JobFold | null {
  if (!job.foldedByCell) return null;
  const { intent, before } = job;
  const submitted = newJobStatus({
    job: job.id,
    name: intent.spec.name,
    pool: pass.cell.meta.pool,
    queue: intent.spec.queue,
    labels: {},
    chunking: intent.chunking,
    cells: [pass.cell.meta.id],
    dependsOn: [],
    createdAtMs: intent.submittedAtMs,
    maxFailedChunks: intent.spec.retries.maxFailedChunks,
    ...(counted.service !== undefined && { service: counted.service }),
  });
  const status = {
    ...submitted,
    state: before.countedAs ?? submitted.state,
    counts: { ...submitted.counts, done: count(before.done) },
    startedAtMs: before.startedAtMs,
    ...(before.workedPower !== undefined && { workedPower: before.workedPower }),
    countedAs: before.countedAs,
    lastEventAtMs: before.lastEventAtMs,
  };
  const cells = new Map([[pass.cell.meta.id, counted]]);
  const { next, events, progress } = rollUp({ status, cells, parents: new Map() }, pass.nowMs);
  const eventsIn = before.countedAs === null ? 'began' : isFinal(next.state) ? 'ended' : 'rows';
  const all = [...lossOf(pass, job), ...events];
  return { seen: before.countedAs, next, events: all, eventsIn, progress };
}

function lossOf(pass: Pass, { lostBy }: JobDraft): readonly JobEvent[] {
  if (lostBy === null) return [];
  const detail = `${lostBy} took it and did not show it in time; it is offered again.`;
  return [{ atMs: pass.nowMs, kind: 'accepted-and-lost', by: 'scheduler', detail }];
}
