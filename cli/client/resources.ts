import type * as z from 'zod';
import type { EdgeAnswer, edgeJobSchema } from '../../core/contract/edge-answer.ts';
import type {
  auditEventSchema,
  poolSchema,
  queueSchema,
  StatsAnswer,
  TokenAnswer,
} from '../../core/contract/fleet-body.ts';
import type {
  ChunkAnswer,
  EventAnswer,
  ExecutionAnswer,
  explainSchema,
  JobAnswer,
  planSchema,
  WaitingAnswer,
} from '../../core/contract/job-answer.ts';

/**
 * What the API answers, by the names the commands use. The types are those of the schemas that the
 * API itself is checked with; `-o json` prints what came, whole.
 */
export type Page<T> = { readonly items: readonly T[]; readonly nextCursor: string | null };

export type Job = JobAnswer;
export type JobState = Job['status']['state'];
export type Execution = ExecutionAnswer;
export type Waiting = WaitingAnswer;
export type Chunk = ChunkAnswer;
export type JobEvent = EventAnswer;
export type Explanation = z.output<typeof explainSchema>;
export type Plan = z.output<typeof planSchema>;
export type Edge = EdgeAnswer;
export type EdgeJob = z.output<typeof edgeJobSchema>;
export type Stats = StatsAnswer;
export type Pool = z.output<typeof poolSchema>;
export type Queue = z.output<typeof queueSchema>;
export type Token = TokenAnswer;
export type AuditEvent = z.output<typeof auditEventSchema>;

export function isFinal(state: JobState): boolean {
  return state === 'done' || state === 'failed' || state === 'cancelled';
}
