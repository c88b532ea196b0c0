import * as z from 'zod';
import { edgeLinks } from '../model/edge-status.ts';
import { jobStates } from '../model/job.ts';
import { graphSummarySchema, stateSchema } from './clusters/cluster-body.ts';
import { executionSchema, listOf } from './job-answer.ts';
import { timeSchema } from './text-schema.ts';

/** What the API says about edges. */

const count = z.int().min(0);
const amounts = z.record(z.string(), z.number());

export const leaseSchema = z
  .strictObject({ job: z.string(), chunks: z.string(), slots: count, percent: count.max(100) })
  .meta({ id: 'Lease' });

export const edgeSchema = z
  .strictObject({
    name: z.string(),
    pool: z.string(),
    cell: z.string(),
    state: z.enum(edgeLinks),
    lastSeenAt: timeSchema.nullable(),
    connectedAt: timeSchema.nullable(),
    capacity: amounts,
    free: amounts,
    labels: z.record(z.string(), z.string()),
    facts: z.record(z.string(), z.unknown()),
    factsAt: timeSchema.nullable(),
    cordoned: z.boolean(),
    draining: z.boolean(),
    removing: z.boolean(),
    busy: z.boolean(),
    crashing: z.boolean(),
    reason: z.string().nullable(),
    leases: z.array(leaseSchema),
    mode: z.enum(['push', 'pull']),
    offers: z.enum(['named', 'pool']).nullable(),
    graph: graphSummarySchema.nullable().meta({ description: 'Of an edge that is a cluster.' }),
    clusterState: stateSchema.shape.state.meta({ description: 'What it says of itself.' }),
    stateAt: timeSchema.nullable(),
    totals: z.strictObject({ chunksDone: count, powerServed: z.number().min(0) }),
  })
  .meta({ id: 'Edge' });

export type EdgeAnswer = z.output<typeof edgeSchema>;
export type LeaseAnswer = z.output<typeof leaseSchema>;

export const edgeListSchema = listOf(edgeSchema, 'EdgeList');

export const enrolAnswerSchema = z
  .strictObject({
    edge: edgeSchema,
    certificate: z.string().nullable(),
    caCertificate: z.string(),
    mqttEndpoint: z.string().nullable(),
    thing: z.string().meta({ description: 'Client id of this edge, and the name in its topics.' }),
    token: z.string().meta({ description: 'Public id of the credential.' }),
    secret: z.string().meta({ description: 'Shown once: the bearer token of this edge.' }),
    submitToken: z
      .string()
      .optional()
      .meta({ description: 'Of a cluster, shown once: opens submitting to it and nothing else.' }),
  })
  .meta({ id: 'EnrolAnswer' });

export const edgeJobSchema = z
  .strictObject({
    job: z.string(),
    name: z.string().nullable(),
    state: z.enum(jobStates).nullable(),
    execution: executionSchema,
  })
  .meta({ id: 'EdgeJob', description: 'What one edge did for one job.' });

export const edgeJobListSchema = listOf(edgeJobSchema, 'EdgeJobList');

export const workAnswerSchema = z
  .looseObject({ e: count, w: z.record(z.string(), z.unknown()) })
  .meta({ id: 'Work', description: 'The work document, as it is in the shadow.' });

export const reportAnswerSchema = z
  .strictObject({ accepted: z.boolean().meta({ description: 'False: a newer one was there.' }) })
  .meta({ id: 'ReportAnswer' });
