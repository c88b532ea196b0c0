import type * as z from 'zod';
import type { EdgeAnswer, edgeJobSchema } from './edge-answer.ts';
import type { FleetEventsAnswer } from './event-body.ts';
import type {
  auditEventSchema,
  HealthAnswer,
  poolSchema,
  queueSchema,
  StatsAnswer,
  StatsHistoryAnswer,
  TokenAnswer,
} from './fleet-body.ts';
import type {
  ChunkAnswer,
  EventAnswer,
  ExecutionAnswer,
  explainSchema,
  JobAnswer,
  planSchema,
  WaitingAnswer,
} from './job-answer.ts';
import type { ScheduleAnswer, ScheduleRunAnswer } from './schedules/schedule-body.ts';
import type { NewWebhookAnswer, WebhookAnswer } from './webhooks/webhook-body.ts';

/**
 * What the API answers, by the names that its clients use: the command line and the dashboard. The
 * types are those of the schemas that the API itself is checked with; only types come from there,
 * so none of the checking is in a browser.
 */
export type Page<T> = { readonly items: readonly T[]; readonly nextCursor: string | null };

export type Job = JobAnswer;
export type Execution = ExecutionAnswer;
export type Waiting = WaitingAnswer;
export type Chunk = ChunkAnswer;
export type JobEvent = EventAnswer;
export type FleetEvents = FleetEventsAnswer;
export type Health = HealthAnswer;
export type Explanation = z.output<typeof explainSchema>;
export type Dryrun = z.output<typeof planSchema>;
export type Edge = EdgeAnswer;
export type EdgeJob = z.output<typeof edgeJobSchema>;
export type Stats = StatsAnswer;
export type StatsHistory = StatsHistoryAnswer;
export type Pool = z.output<typeof poolSchema>;
export type Schedule = ScheduleAnswer;
export type Webhook = WebhookAnswer;
export type NewWebhook = NewWebhookAnswer;
export type ScheduleRun = ScheduleRunAnswer;
export type Queue = z.output<typeof queueSchema>;
export type Token = TokenAnswer;
export type AuditEvent = z.output<typeof auditEventSchema>;
