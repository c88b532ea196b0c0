import { nameOfCaller } from '../../../core/caller.ts';
import { eventTtlSeconds } from '../../../core/limits.ts';
import type { JobId } from '../../../core/names.ts';
import { type Call, callerOf } from '../http/call.ts';
import type { JobsWriteDeps } from './deps.ts';

/** Adds to a job's timeline what its user did: who, what and when. */
export async function tellJob(
  call: Call,
  deps: Pick<JobsWriteDeps, 'changes'>,
  job: JobId,
  kind: string,
  detail: string,
): Promise<void> {
  await deps.changes.tell(job, {
    atMs: call.nowMs,
    kind,
    by: nameOfCaller(callerOf(call)),
    detail,
    expiresAt: Math.ceil(call.nowMs / 1_000) + eventTtlSeconds,
  });
}
