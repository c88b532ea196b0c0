import * as z from 'zod';
import { boundEdgesMax } from '../graph/limits.ts';
import {
  enrolUsesMax,
  powerMax,
  queueWeightMax,
  queueWeightMin,
  reasonLengthMax,
  tokenTtlSecondsMax,
} from '../model/limits.ts';
import { amountsSchema } from './edge-body.ts';
import { listOf } from './job-answer.ts';
import { matchSchema, readAlgorithm, selectSchema } from './jobspec/envelope.ts';
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
    edgeCapacityMax: amountsSchema.default({}).meta({
      description: 'The most that is believed of what an edge of the pool says it has.',
    }),
    select: selectSchema.nullable().default(null).meta({
      description: 'How one of its clusters is chosen for jobspecs that do not say.',
    }),
    match: matchSchema.nullable().default(null),
  })
  .superRefine(({ select }, context) => {
    const read = select === null ? null : readAlgorithm(select);
    if (read === null || read.ok) return;
    for (const { pointer, message } of read.errors) {
      const path = ['select', ...pointer.split('/').slice(1)];
      context.addIssue({ code: 'custom', path, message });
    }
  })
  .meta({ id: 'PoolBody' });

export type PoolBody = z.output<typeof poolBodySchema>;

export const poolSchema = z
  .strictObject({
    name: z.string(),
    description: z.string(),
    policy: z.enum(['spread', 'pack', 'fastest']),
    edgeCapacityMax: z.record(z.string(), z.number()),
    select: selectSchema.nullable(),
    match: matchSchema.nullable(),
    cells: z.array(z.string()),
    edges: count,
    createdAt: timeSchema.nullable(),
  })
  .meta({ id: 'Pool' });

export const poolListSchema = listOf(poolSchema, 'PoolList');

export const queueBodySchema = z
  .strictObject({
    weight: z.number().min(queueWeightMin).max(queueWeightMax).default(1),
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
    edges: z.array(nameSchema).min(1).max(boundEdgesMax).nullable().default(null).meta({
      description: 'Binds a token for jobs to these clusters: it reads only what it submitted.',
    }),
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
    if (body.edges !== null && !body.scopes.every((scope) => scope.startsWith('jobs:'))) {
      refuse('edges', 'Only a token for jobs is bound to clusters.');
    }
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
    edges: z.array(z.string()).nullable(),
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

const statsGroupSchema = z
  .strictObject({
    name: z.string(),
    pool: z.string().nullable(),
    edges: count.nullable(),
    jobs: count,
    chunksOpen: count,
    chunksDone: count,
    power: z.number().nullable(),
    served: z.number(),
  })
  .meta({ id: 'StatsGroup' });

export type StatsGroup = z.output<typeof statsGroupSchema>;

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
    unreadableRows: count.meta({
      description: 'Rows of cells that cannot be read: what they are about stands still.',
    }),
    cells: z.array(
      z.strictObject({
        id: z.string(),
        pool: z.string(),
        edges: count,
        free: z.number(),
        backlogPower: z.number(),
      }),
    ),
    groups: z.array(statsGroupSchema).optional().meta({
      description: 'With `by`: each edge, pool or queue, those that served most first.',
    }),
    groupsCut: z.boolean().optional().meta({
      description: 'With `by`: there are more than one answer looks at.',
    }),
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
  .strictObject({
    ok: z.boolean(),
    version: z.string(),
    signIn: z
      .strictObject({ issuer: z.string(), clientId: z.string() })
      .optional()
      .meta({ description: 'Where people sign in by OpenID Connect; absent where they do not.' }),
    endpoints: z
      .strictObject({ events: z.string() })
      .optional()
      .meta({ description: 'Where answers stream; absent where nothing does.' }),
  })
  .meta({ id: 'Health' });

export type HealthAnswer = z.output<typeof healthSchema>;
