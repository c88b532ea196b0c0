import * as z from 'zod';
import { acceptJobsMax } from '../../graph/limits.ts';
import { reasonLengthMax } from '../../model/limits.ts';
import { nameSchema, nonEmptyText, text, timeSchema } from '../text-schema.ts';
import { acceptRefusals, releaseRefusals } from './accept-refusal.ts';

/** What edges that take work by themselves are offered, and what they answer. */

const count = z.int().min(0);

const offerSchema = z
  .strictObject({
    id: z.string(),
    kind: z.enum(['job', 'jobspec']),
    cluster: z.string(),
    name: z.string().nullable(),
    queue: z.string(),
    priority: count,
    nodes: count,
    tasks: count,
    chunks: z.string().nullable().meta({ description: 'Those that wait.' }),
    resources: z.record(z.string(), z.number()),
    command: z.string().nullable(),
    submittedAt: timeSchema,
    jobspec: z.record(z.string(), z.unknown()).nullable(),
    fits: z.boolean().meta({ description: 'The edge has room for all of it now.' }),
  })
  .meta({ id: 'Offer' });

export type OfferAnswer = z.output<typeof offerSchema>;

export const offersSchema = z
  .strictObject({
    items: z.array(offerSchema).optional(),
    nextCursor: z.string().nullable().optional(),
    total: count,
    byQueue: z.record(z.string(), count).optional(),
    byNodes: z.record(z.string(), count).optional(),
    oldestAt: timeSchema.nullable().optional(),
  })
  .meta({ id: 'Offers', description: 'With `summary=true` figures in place of items.' });

export type OffersAnswer = z.output<typeof offersSchema>;

const jobsSchema = z.array(nameSchema).min(1).max(acceptJobsMax);

export const acceptBodySchema = z
  .strictObject({
    jobs: jobsSchema,
    ranges: z.record(nameSchema, nonEmptyText(4_096)).default({}).meta({
      description: 'Chunks of a job, `0-9,12`; all that wait where it is not named.',
    }),
    fits: z.boolean().default(false).meta({
      description: 'Take no more than there is room for now.',
    }),
  })
  .meta({ id: 'AcceptBody' });

export const acceptAnswerSchema = z
  .strictObject({
    status: z.enum(['success', 'partial']),
    accepted: z.array(z.string()),
    refused: z.array(z.strictObject({ job: z.string(), reason: z.enum(acceptRefusals) })),
    leases: z.array(
      z.strictObject({
        job: z.string(),
        chunks: z.string(),
        slots: count,
        until: timeSchema.meta({ description: 'By then a report has to show it.' }),
      }),
    ),
  })
  .meta({ id: 'AcceptAnswer' });

export type AcceptAnswer = z.output<typeof acceptAnswerSchema>;

export const releaseBodySchema = z
  .strictObject({ jobs: jobsSchema, reason: text(reasonLengthMax).default('') })
  .meta({ id: 'ReleaseBody' });

export const releaseAnswerSchema = z
  .strictObject({
    status: z.enum(['success', 'partial']),
    released: z.array(z.strictObject({ job: z.string(), chunks: z.string() })),
    refused: z.array(z.strictObject({ job: z.string(), reason: z.enum(releaseRefusals) })),
  })
  .meta({ id: 'ReleaseAnswer' });

export type ReleaseAnswer = z.output<typeof releaseAnswerSchema>;
