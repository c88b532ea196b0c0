import type { FleetEvent } from '../events/fleet-event.ts';
import type { JobEvent } from '../model/job-event.ts';
import type { JobId } from '../model/names.ts';
import type { EndNotice } from '../webhooks/end-notice.ts';

/** Ends of jobs that somebody is to be notified of, whom the job names. */
export type EndNotices = {
  /** Adds an end of a job; one that was added before changes nothing. */
  add(job: JobId, event: FleetEvent, nowMs: number): Promise<void>;
  /** Jobs of which something is due, what is due for longest first. */
  due(nowMs: number, limit: number): Promise<readonly JobId[]>;
  find(job: JobId): Promise<EndNotice | null>;
  /**
   * In place of what was seen, with a line of the job's timeline. `false`: somebody was faster, or
   * the job is gone.
   */
  save(next: EndNotice, seenTurn: number, line?: JobEvent): Promise<boolean>;
};
