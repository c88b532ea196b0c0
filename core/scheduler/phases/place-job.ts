import type { JobDraft, Pass } from '../pass/draft.ts';
import { placeGang } from './gangs.ts';
import type { Turn } from './order-backlog.ts';
import { place } from './place.ts';

/** One job's turn for idle edges: all of a gang at once, else as many chunks as fit. */
export function placeJob(pass: Pass, job: JobDraft, powerMax: number): Turn {
  return job.intent.spec.placement.nodes === null
    ? place(pass, job, powerMax)
    : placeGang(pass, job);
}
