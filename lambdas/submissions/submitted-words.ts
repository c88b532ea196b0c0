import { executorOf } from '../../core/model/job.ts';
import type { StoredJob } from '../../core/model/stored-job.ts';

/** What the audit trail says was asked for; it outlives the job. */
export function submittedWords({ spec, chunking: { chunks } }: StoredJob): string {
  const size = chunks === 1 ? '1 chunk' : `${chunks} chunks`;
  return `job-submitted: ${executorOf(spec.run)}, ${size}, pool ${spec.pool}, queue ${spec.queue}`;
}
