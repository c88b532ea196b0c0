import * as z from 'zod';
import { jobStates } from '../model/job.ts';
import { chunkOffsetsSchema } from './chunk-offsets-body.ts';
import { inputsSchema } from './files/file-body.ts';
import { outputsSchema } from './files/result-body.ts';
import { runSchema } from './runs/run-body.ts';
import {
  everywhereSchema,
  instanceFields,
  serviceFields,
  serviceStatusSchema,
} from './services/service-body.ts';
import { signatureSchema } from './signature-body.ts';
import { parametersSchema } from './sweeps/params-answer.ts';
import { paramsSchema } from './sweeps/params-body.ts';
import { nameSchema, timeSchema } from './text-schema.ts';
import { waitingReasons } from './waiting-reason.ts';
import { onEndSchema } from './webhooks/webhook-body.ts';

/**
 * What the API says about jobs: the documented shape of every answer, checked by the contract
 * suite.
 */

const count = z.int().min(0);
const ranges = z.string().meta({ description: 'Chunk numbers in their text form: 0-41,43.' });
const labels = z.record(z.string(), z.string());

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
    outputMb: count.optional(),
    stderr: z.literal('apart').optional(),
    keepDirectory: z.enum(['none', 'failed']).optional(),
    inputs: inputsSchema.optional(),
    params: paramsSchema.optional(),
    chunkOffsets: chunkOffsetsSchema.optional(),
    outputs: outputsSchema.optional(),
    keepDays: count.optional(),
    onEnd: onEndSchema.optional(),
    signature: signatureSchema.optional(),
    dependsOn: z.array(z.string()),
    labels,
    kind: z.enum(['batch', 'service', 'everywhere']),
    ...serviceFields,
    everywhere: everywhereSchema.optional(),
  })
  .meta({ id: 'JobSpec', description: 'What was sent plus defaults.' });

export const executionSchema = z
  .strictObject({
    edge: z.string(),
    generation: count.optional(),
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
    percent: count.max(100).meta({ description: 'By power worked, rounded down.' }),
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
    service: serviceStatusSchema.optional(),
    executions: z.array(executionSchema),
    waiting: z.array(waitingSchema),
    receipt: z
      .strictObject({
        counted: z.boolean(),
        shadowUpdates: count,
        messages: count,
        tableWrites: count,
        lambdaMs: count,
        usd: z.number().min(0),
      })
      .meta({
        description:
          'What was written and sent for the job, its part of what it shares with others.',
      }),
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
    percent: count
      .max(100)
      .nullable()
      .meta({ description: 'How far it says it is; null where it does not.' }),
    startedAt: timeSchema.nullable().meta({ description: 'Its own; null where unknown.' }),
    endedAt: timeSchema.nullable().meta({ description: 'Its own; null where unknown.' }),
    within: z
      .strictObject({ from: timeSchema, to: timeSchema.nullable() })
      .nullable()
      .meta({ description: 'It ran between these: while its edge worked on the job.' }),
    ...instanceFields,
    output: z.string().optional().meta({ description: 'Address of the kept output.' }),
    stderr: z
      .string()
      .optional()
      .meta({ description: 'Address of the kept standard error, where that is apart.' }),
    params: parametersSchema.optional(),
    files: z
      .strictObject({ count, bytes: count })
      .optional()
      .meta({ description: 'The files that are its results.' }),
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
  .strictObject({
    job: z.string(),
    pending: count,
    reasons: z.array(waitingSchema),
    inputsHeld: z
      .strictObject({ edges: count, examples: z.array(z.string()) })
      .meta({ description: 'Edges that have inputs of it come first among equal ones.' })
      .optional(),
  })
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
    outputMb: count.optional(),
    stderr: z.literal('apart').optional(),
    keepDirectory: z.enum(['none', 'failed']).optional(),
    inputs: inputsSchema.optional(),
    sweep: z.literal(true).optional(),
    params: paramsSchema.optional(),
    signature: signatureSchema.optional(),
    chunkOffsets: chunkOffsetsSchema.optional(),
    outputs: outputsSchema.optional(),
    offlineSeconds: count.nullable(),
    ...serviceFields,
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

export const jobBatchAnswerSchema = z
  .strictObject({ items: z.array(jobSchema) })
  .meta({ id: 'JobBatchAnswer', description: 'The jobs of the batch, in its order.' });
