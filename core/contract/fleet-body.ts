import * as z from 'zod';
import { enrolUsesMax, powerMax, reasonLengthMax, tokenTtlSecondsMax } from '../model/limits.ts';
import { listOf } from './job-answer.ts';
import { scopes } from './scopes.ts';
import { nameSchema, nonEmptyText, text, timeSchema, whole } from './text-schema.ts';

/** Pools, queues, tokens and the fleet's figures: what is sent and what is answered. */

const count = z.int().min(0);

export const poolBodySchema = z
  .strictObject({
    description: text(reasonLengthMax).default(''),
    policy: z
      .enum(['spread', 'pack', 'fastest'])
      .default('spread')
      .meta({ description: 'For jobs that name no placement policy.' }),
  })
  .meta({ id: 'PoolBody' });

export type PoolBody = z.output<typeof poolBodySchema>;

export const poolSchema = z
  .strictObject({
    name: z.string(),
    description: z.string(),
    policy: z.enum(['spread', 'pack', 'fastest']),
    cells: z.array(z.string()),
    edges: count,
    createdAt: timeSchema.nullable(),
  })
  .meta({ id: 'Pool' });

export const poolListSchema = listOf(poolSchema, 'PoolList');

export const queueBodySchema = z
  .strictObject({
    weight: z.number().gt(0).max(1_000).default(1),
    strict: z.boolean().default(false),
    quota: whole(1, powerMax)
      .nullable()
      .default(null)
      .meta({ description: 'The most power it may hold at once in a pool.' }),
  })
  .meta({ id: 'QueueBody' });

export type QueueBody = z.output<typeof queueBodySchema>;

export const queueSchema = z
  .strictObject({
    name: z.string(),
    weight: z.number(),
    strict: z.boolean(),
    quota: count.nullable(),
  })
  .meta({ id: 'Queue' });

export const queueListSchema = listOf(queueSchema, 'QueueList');

export const tokenBodySchema = z
  .strictObject({
    name: nonEmptyText(64),
    scopes: z.array(z.enum(scopes)).min(1).max(scopes.length),
    pool: nameSchema.nullable().default(null),
    queue: nameSchema.nullable().default(null),
    ttlSeconds: whole(1, tokenTtlSecondsMax).nullable().default(null).meta({
      description: 'For ever by default; with edges:enrol one hour by default, and a week at most.',
    }),
    edge: nameSchema
      .nullable()
      .default(null)
      .meta({ description: 'Binds an enrol token to one edge name.' }),
    uses: whole(1, enrolUsesMax)
      .nullable()
      .default(null)
      .meta({ description: 'How many edges an enrol token may enrol.' }),
  })
  .superRefine((body, context) => {
    const enrols = body.scopes.includes('edges:enrol');
    const refuse = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message });
    if (!enrols && body.edge !== null) refuse('edge', 'Only an enrol token is bound to an edge.');
    if (!enrols && body.uses !== null) refuse('uses', 'Only an enrol token counts its uses.');
    if (new Set(body.scopes).size < body.scopes.length) refuse('scopes', 'A scope is named twice.');
  })
  .meta({ id: 'TokenBody' });

export type TokenBody = z.output<typeof tokenBodySchema>;

export const tokenSchema = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    scopes: z.array(z.enum(scopes)),
    pool: z.string().nullable(),
    queue: z.string().nullable(),
    edge: z.string().nullable(),
    usesLeft: count.nullable(),
    createdAt: timeSchema,
    createdBy: z.string(),
    expiresAt: timeSchema.nullable(),
    secret: z.string().optional().meta({ description: 'Only in the answer that creates it.' }),
  })
  .meta({ id: 'Token' });

export type TokenAnswer = z.output<typeof tokenSchema>;

export const tokenListSchema = listOf(tokenSchema, 'TokenList');

export const auditEventSchema = z
  .strictObject({
    at: timeSchema,
    by: z.string(),
    action: z.string(),
    target: z.string(),
    requestId: z.string(),
  })
  .meta({ id: 'AuditEvent', description: 'Who changed what, and when.' });

export const auditListSchema = listOf(auditEventSchema, 'AuditList');

export const statsSchema = z
  .strictObject({
    jobs: z.strictObject({
      waiting: count,
      pending: count,
      scheduled: count,
      running: count,
      done: count,
      failed: count,
      cancelled: count,
      total: count,
    }),
    chunks: z.strictObject({
      pending: count,
      scheduled: count,
      running: count,
      done: count,
      dead: count,
      cancelled: count,
      total: count,
    }),
    edges: z.strictObject({
      total: count,
      connected: count,
      disconnected: count,
      lost: count,
      busy: count,
      free: count,
      cordoned: count,
    }),
    power: z.strictObject({
      total: z.number(),
      free: z.number(),
      reserved: z.number(),
      served: z.number(),
    }),
    rates: z.strictObject({ jobsPerMinute: z.number(), chunksPer10Seconds: z.number() }),
    cells: z.array(
      z.strictObject({
        id: z.string(),
        pool: z.string(),
        edges: count,
        free: z.number(),
        backlogPower: z.number(),
      }),
    ),
  })
  .meta({ id: 'Stats' });

export type StatsAnswer = z.output<typeof statsSchema>;

export const statsHistorySchema = z
  .strictObject({
    minutes: z.array(z.strictObject({ at: timeSchema, jobs: count, chunks: count })).meta({
      description: 'Oldest first; the last one is not over yet.',
    }),
  })
  .meta({ id: 'StatsHistory', description: 'Jobs that ended and chunks done, by minute.' });

export type StatsHistoryAnswer = z.output<typeof statsHistorySchema>;

export const healthSchema = z
  .strictObject({ ok: z.boolean(), version: z.string() })
  .meta({ id: 'Health' });
