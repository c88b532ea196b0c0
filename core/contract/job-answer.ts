import * as z from 'zod';
import { runSchema } from './job-body.ts';
import { nameSchema, timeSchema } from './text-schema.ts';
import { waitingReasons } from './waiting-reason.ts';

/**
 * What the API says about jobs: the documented shape of every answer, checked by the contract
 * suite.
 */

const count = z.int().min(0);
const ranges = z.string().meta({ description: 'Chunk numbers in their text form: 0-41,43.' });
const labels = z.record(z.string(), z.string());

export const jobStates = [
  'waiting',
  'pending',
  'scheduled',
  'running',
  'done',
  'failed',
  'cancelled',
] as const;

export const chunkStates = [
  'waiting',
  'pending',
  'scheduled',
  'running',
  'done',
  'dead',
  'cancelled',
] as const;

export const specAnswerSchema = z
  .strictObject({
    name: nameSchema.nullable(),
    pool: nameSchema,
    queue: nameSchema,
    priority: count,
    power: count.nullable(),
    chunks: count,
    chunkPower: count.nullable(),
    resources: z.record(z.string(), z.number()),
    run: runSchema,
    requires: z.strictObject({
      labels,
      expressions: z.array(
        z.strictObject({ key: z.string(), op: z.string(), value: z.unknown().optional() }),
      ),
      edges: z.array(nameSchema),
    }),
    placement: z.strictObject({
      policy: z.enum(['spread', 'pack', 'fastest']),
      maxEdges: count.nullable(),
      nodes: count.nullable(),
    }),
    retries: z.strictObject({
      attempts: count,
      backoffSeconds: count,
      maxFailedChunks: count.nullable(),
    }),
    lostAfterSeconds: count,
    offlineSeconds: count.nullable(),
    deadlineSeconds: count.nullable(),
    keepOutput: z.enum(['none', 'failed', 'all']),
    dependsOn: z.array(z.string()),
    labels,
    kind: z.enum(['batch', 'service', 'everywhere']),
  })
  .meta({ id: 'JobSpec', description: 'What was sent plus defaults.' });

export const executionSchema = z
  .strictObject({
    edge: z.string(),
    chunks: ranges,
    power: count,
    percent: count.max(100),
    done: ranges,
    running: ranges,
    dead: ranges,
    startedAt: timeSchema.nullable(),
    endedAt: timeSchema.nullable(),
  })
  .meta({ id: 'Execution', description: 'The part of a job that one edge ran or is running.' });

const waitingReasonSchema = z
  .union([z.enum(waitingReasons), z.templateLiteral(['no-free-', z.string()])])
  .meta({ id: 'WaitingReason', description: '`no-free-<resource>` names an amount of the job.' });

export const waitingSchema = z
  .strictObject({
    reason: waitingReasonSchema,
    chunks: count,
    edges: count,
    examples: z.array(z.string()).optional(),
    detail: z.string(),
  })
  .meta({
    id: 'Waiting',
    description: 'Why chunks wait, with how many edges were ruled out by it.',
  });

export const jobStatusSchema = z
  .strictObject({
    state: z.enum(jobStates),
    percent: count.max(100).meta({ description: 'By power done, rounded down.' }),
    chunks: z.strictObject({
      total: count,
      waiting: count,
      pending: count,
      scheduled: count,
      running: count,
      done: count,
      dead: count,
      cancelled: count,
    }),
    startedAt: timeSchema.nullable(),
    endedAt: timeSchema.nullable(),
    reason: z.string().nullable(),
    executions: z.array(executionSchema),
    waiting: z.array(waitingSchema),
    receipt: z
      .strictObject({
        shadowUpdates: count,
        messages: count,
        tableWrites: count,
        lambdaMs: count,
        usd: z.number().min(0),
      })
      .meta({ description: 'Estimated from the executions that were counted; see the manual.' }),
  })
  .meta({ id: 'JobStatus' });

export const jobSchema = z
  .strictObject({
    id: z.string(),
    name: nameSchema.nullable(),
    spec: specAnswerSchema,
    generation: count,
    createdAt: timeSchema,
    createdBy: z.string(),
    status: jobStatusSchema,
  })
  .meta({ id: 'Job' });

export type JobAnswer = z.output<typeof jobSchema>;
export type ExecutionAnswer = z.output<typeof executionSchema>;
export type WaitingAnswer = z.output<typeof waitingSchema>;
export type JobStatusAnswer = z.output<typeof jobStatusSchema>;

export const chunkSchema = z
  .strictObject({
    chunk: count,
    state: z.enum(chunkStates),
    edge: z.string().nullable(),
    attempts: count,
    exitCode: z.int().nullable(),
    reason: z.string().nullable(),
    startedAt: timeSchema.nullable(),
    endedAt: timeSchema.nullable(),
    output: z.string().optional().meta({ description: 'Address of the kept output.' }),
  })
  .meta({ id: 'Chunk' });

export type ChunkAnswer = z.output<typeof chunkSchema>;

export const eventSchema = z
  .strictObject({
    at: timeSchema,
    kind: z.string(),
    by: z.string(),
    detail: z.string(),
  })
  .meta({ id: 'Event' });

export type EventAnswer = z.output<typeof eventSchema>;

export const explainSchema = z
  .strictObject({ job: z.string(), pending: count, reasons: z.array(waitingSchema) })
  .meta({ id: 'Explanation', description: 'Why each pending chunk waits.' });

export const planSchema = z
  .strictObject({
    feasible: z.boolean(),
    chunks: count,
    chunkPower: count,
    lastChunkPower: count,
    placed: count,
    placements: z.array(
      z.strictObject({ edge: z.string(), cell: z.string(), chunks: count, power: count }),
    ),
    waiting: z.array(waitingSchema),
  })
  .meta({ id: 'Plan', description: 'Where a job would go now; nothing is stored.' });

export const agentSpecSchema = z
  .strictObject({
    id: z.string(),
    hash: z.string(),
    name: z.string().nullable(),
    createdBy: z.string(),
    chunks: count,
    chunkPower: count,
    lastChunkPower: count,
    run: runSchema,
    resources: z.record(z.string(), z.number()),
    keepOutput: z.enum(['none', 'failed', 'all']),
    offlineSeconds: count.nullable(),
  })
  .meta({ id: 'AgentSpec', description: 'What an agent needs to run the chunks of a job.' });

export function listOf<S extends z.ZodType>(item: S, id: string) {
  return z
    .strictObject({ items: z.array(item), nextCursor: z.string().nullable() })
    .meta({ id, description: 'One page; `nextCursor` is null on the last.' });
}

export const jobListSchema = listOf(jobSchema, 'JobList');
export const executionListSchema = listOf(executionSchema, 'ExecutionList');
export const chunkListSchema = listOf(chunkSchema, 'ChunkList');
export const eventListSchema = listOf(eventSchema, 'EventList');

export const jobspecAnswerSchema = z
  .strictObject({
    jobs: z.array(z.strictObject({ task: z.string(), job: jobSchema })),
  })
  .meta({ id: 'JobspecAnswer', description: 'The jobs that the tasks became, in their order.' });
