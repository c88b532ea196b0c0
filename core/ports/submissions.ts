import type { JobId } from '../model/names.ts';
import type { Submission } from '../model/submission.ts';
import type { AuditEvent } from './audit.ts';
import type { KeptAnswer } from './jobs.ts';

/** Jobspecs that were accepted, whole: what of them is still to be done is found again. */
export type SubmissionsStore = {
  find(id: JobId): Promise<Submission | null>;
  /** Of a pool, newest first, from just before `position`. */
  list(pool: string, position: string | null, limit: number): Promise<readonly ListedSubmission[]>;
  /** Those that are open and have a place, the oldest first. */
  listOpen(limit: number): Promise<readonly JobId[]>;
  /** Those for whom nobody was found, the one that was looked at the longest ago first. */
  listWaiting(limit: number): Promise<readonly JobId[]>;
  /** With the answer to whoever sends the request again. Nothing is stored unless `created`. */
  create(
    submission: Submission,
    kept: KeptAnswer | null,
    audit: AuditEvent,
  ): Promise<'created' | 'id-taken' | 'key-taken'>;
  /** In place of what was seen. `false`: it was changed in between, or is gone. */
  save(next: Submission, seenVersion: number): Promise<boolean>;
  remove(id: JobId): Promise<void>;
};

/** A submission in a list; the position sorts by the time of creation. */
export type ListedSubmission = { readonly id: JobId; readonly position: string };
