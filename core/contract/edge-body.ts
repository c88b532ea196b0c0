import * as z from 'zod';
import {
  bodyBytesMax,
  deadlineSecondsMax,
  edgeLabelsMax,
  factsBytesMax,
  pollSecondsMax,
  powerMax,
  queuedJobsMax,
  reasonLengthMax,
  resourcesMax,
} from '../model/limits.ts';
import type { FactValue } from '../protocol/facts.ts';
import { graphDocumentSchema } from './clusters/cluster-body.ts';
import {
  labelsSchema,
  nameSchema,
  nonEmptyText,
  resourceNameSchema,
  text,
  whole,
} from './text-schema.ts';

/** What is sent about edges: enrolment, settings, drains and reports. */

export const amountsSchema = z
  .record(resourceNameSchema, z.number().min(0).max(powerMax))
  .refine((capacity) => Object.keys(capacity).length <= resourcesMax, {
    error: `At most ${resourcesMax} resources fit here.`,
  });

const powerIsWhole = (capacity: Readonly<Record<string, number>>) =>
  capacity.power === undefined || (Number.isInteger(capacity.power) && capacity.power >= 1);

export const capacitySchema = amountsSchema
  .refine((capacity) => capacity.power !== undefined, {
    error: 'A capacity needs "power".',
    path: ['power'],
  })
  .refine(powerIsWhole, { error: 'Power is a whole number of at least 1.', path: ['power'] })
  .meta({ description: 'What the edge has: power, and any other named amounts.' });

export type Capacity = Readonly<Record<string, number>> & { readonly power: number };

const factLeaf = z.union([text(1024), z.number(), z.boolean()], {
  error: 'A fact is a text, a number, true or false, or an object of facts.',
});
const factSchema: z.ZodType<FactValue> = z
  .union(
    [
      factLeaf,
      z.record(
        nonEmptyText(64),
        z.lazy(() => factSchema),
      ),
    ],
    { error: 'A fact is a text, a number, true or false, or an object of facts.' },
  )
  .meta({ id: 'Fact' });

export const factsSchema = z
  .record(nonEmptyText(64), factSchema)
  .refine((facts) => JSON.stringify(facts).length <= factsBytesMax, {
    error: `The facts of an edge have at most ${factsBytesMax} bytes.`,
  });

export const enrolBodySchema = z
  .strictObject({
    name: nameSchema,
    pool: nameSchema.optional(),
    csr: text(8_192)
      .nullable()
      .default(null)
      .meta({ description: 'PEM; without it the edge is linked over HTTPS only.' }),
    capacity: amountsSchema
      .refine(powerIsWhole, { error: 'Power is a whole number of at least 1.', path: ['power'] })
      .optional()
      .meta({ description: 'Needs "power" unless there are nodes, from which it follows.' }),
    labels: labelsSchema(edgeLabelsMax).default({}),
    facts: factsSchema.default({}),
    nodes: graphDocumentSchema.optional().meta({ description: 'Makes the edge a cluster.' }),
    mode: z
      .enum(['push', 'pull'])
      .default('push')
      .meta({ description: 'Whether it is given work, or takes what it is offered.' }),
    offers: z.enum(['named', 'pool']).default('named'),
    subsystems: z.record(nameSchema, graphDocumentSchema).default({}),
  })
  .superRefine((body, context) => {
    const refuse = (path: string[], message: string) =>
      context.addIssue({ code: 'custom', path, message });
    if (body.nodes === undefined && Object.keys(body.subsystems).length > 0) {
      refuse(['subsystems'], 'Subsystems belong to the graph of a cluster: send "nodes", too.');
    }
    if (body.nodes !== undefined) return;
    if (body.capacity === undefined) {
      refuse(['capacity'], 'This field is required; it must be an object.');
    } else if (body.capacity.power === undefined) {
      refuse(['capacity', 'power'], 'A capacity needs "power".');
    }
  })
  .meta({ id: 'EnrolBody' });

export type EnrolBody = z.output<typeof enrolBodySchema>;

export const edgePatchSchema = z
  .strictObject({
    labels: labelsSchema(edgeLabelsMax).optional(),
    capacity: amountsSchema
      .refine(powerIsWhole, { error: 'Power is a whole number of at least 1.', path: ['power'] })
      .optional(),
    pool: nameSchema
      .optional()
      .meta({ description: 'Moves an edge that has no work to a pool that there is.' }),
    mode: z.enum(['push', 'pull']).optional(),
    offers: z
      .enum(['named', 'pool'])
      .optional()
      .meta({ description: 'Of an edge in pull mode: what names it, or all that matches it.' }),
    cordoned: z.boolean().optional(),
    reason: text(reasonLengthMax).nullable().optional(),
  })
  .superRefine((patch, context) => {
    if (patch.reason !== undefined && patch.reason !== null && patch.cordoned !== true) {
      const message = 'A reason belongs to "cordoned": true.';
      context.addIssue({ code: 'custom', path: ['reason'], message });
    }
  })
  .meta({ id: 'EdgePatch', description: 'Replaces what it names.' });

export type EdgePatch = z.output<typeof edgePatchSchema>;

export const drainBodySchema = z
  .strictObject({
    reason: text(reasonLengthMax).default('drained'),
    deadlineSeconds: whole(0, deadlineSecondsMax).nullable().default(null),
  })
  .meta({ id: 'DrainBody' });

export type DrainBody = z.output<typeof drainBodySchema>;

/**
 * The two documents that an edge reports over HTTPS are bounded as its shadows are; their readers
 * forgive.
 */
export const reportBodySchema = z
  .strictObject({
    b: text(64),
    e: whole(0, Number.MAX_SAFE_INTEGER),
    n: whole(0, Number.MAX_SAFE_INTEGER).nullable().optional(),
    f: z.number(),
    w: z.record(text(64), z.looseObject({}).nullable()),
    i: whole(1, pollSecondsMax)
      .optional()
      .meta({ description: 'Asks for its work so many seconds apart.' }),
    q: z
      .array(text(64))
      .max(queuedJobsMax)
      .nullable()
      .optional()
      .meta({ description: 'Jobs that stand in a queue of its own.' }),
    z: text(64)
      .optional()
      .meta({ description: 'Goodbye: the boot that stops and gives back what it does not run.' }),
    u: text(64)
      .optional()
      .meta({ description: 'The boot before which several ended without contact.' }),
    facts: z
      .strictObject({
        capacity: capacitySchema,
        labels: labelsSchema(edgeLabelsMax).default({}),
        facts: factsSchema.default({}),
      })
      .optional(),
  })
  .refine((report) => JSON.stringify(report).length <= bodyBytesMax / 8, {
    error: 'A report has at most 32768 bytes.',
  })
  .meta({ id: 'ReportBody', description: 'The progress document, whole and cumulative.' });

export type ReportBody = z.output<typeof reportBodySchema>;
