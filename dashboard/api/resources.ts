import type * as z from 'zod';
import type { EdgeAnswer, edgeJobSchema, LeaseAnswer } from '../../core/contract/edge-answer.ts';
import type {
  StatsAnswer,
  StatsHistoryAnswer,
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
 * What the API answers, by the names the pages use. The types are those of the schemas that the API
 * itself is checked with; only types come from there, so none of the checking is in the browser.
 */
export type Page<T> = { readonly items: readonly T[]; readonly nextCursor: string | null };

export type Job = JobAnswer;
export type JobState = Job['status']['state'];
export type ChunkCounts = Job['status']['chunks'];
export type Execution = ExecutionAnswer;
export type Waiting = WaitingAnswer;
export type Chunk = ChunkAnswer;
export type JobEvent = EventAnswer;
export type Explanation = z.output<typeof explainSchema>;
export type Dryrun = z.output<typeof planSchema>;
export type Edge = EdgeAnswer;
export type EdgeLease = LeaseAnswer;
export type EdgeJob = z.output<typeof edgeJobSchema>;
export type Stats = StatsAnswer;
export type StatsHistory = StatsHistoryAnswer;
export type Token = TokenAnswer;
export const jobStates = [
  'waiting',
  'pending',
  'scheduled',
  'running',
  'done',
  'failed',
  'cancelled',
] as const satisfies readonly JobState[];
