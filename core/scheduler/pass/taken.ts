import type { TakenSubmission } from '../../model/job.ts';
import type { JobId } from '../../model/names.ts';
import { touchEdge } from '../plan/rows.ts';
import type { EdgeDraft, JobDraft, Pass } from './draft.ts';

/**
 * A jobspec that an edge takes by itself is taken whole, whatever of it can begin: one note in the
 * edge's row, whether it has two tasks or two hundred.
 */
export function jobsOfSubmission(pass: Pass, id: JobId): readonly JobDraft[] {
  return [...pass.jobs.values()].filter(({ intent }) => intent.submission?.id === id);
}

/** The same of all jobspecs at once. */
export function jobsBySubmission(pass: Pass): ReadonlyMap<JobId, readonly JobDraft[]> {
  const found = new Map<JobId, JobDraft[]>();
  for (const job of pass.jobs.values()) {
    const id = job.intent.submission?.id;
    if (id === undefined) continue;
    const jobs = found.get(id);
    if (jobs === undefined) found.set(id, [job]);
    else jobs.push(job);
  }
  return found;
}

export function takenBy(edge: EdgeDraft, id: JobId): TakenSubmission | null {
  return edge.taken.find((it) => it.id === id) ?? null;
}

export function noteTaken(pass: Pass, edge: EdgeDraft, taken: TakenSubmission): void {
  edge.taken = [...edge.taken, taken];
  touchEdge(pass, edge, false);
}

/** What of it has not begun is offered again. */
export function forgetTaken(pass: Pass, edge: EdgeDraft, id: JobId | undefined): void {
  if (id === undefined || takenBy(edge, id) === null) return;
  edge.taken = edge.taken.filter((it) => it.id !== id);
  touchEdge(pass, edge, false);
}
