import type { JobAnswer } from '../../../../core/contract/job-answer.ts';
import type { KeptAnswer } from '../../../../core/ports/jobs.ts';
import type { Versioned } from '../../http/etag.ts';

/** A job that was taken, as it is answered. */
export type Accepted = Versioned<JobAnswer>;

/** What is stored with the job for whoever sends the same key again. */
export type Keep = ((accepted: Accepted) => KeptAnswer) | null;
