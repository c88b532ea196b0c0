import * as z from 'zod';
import { jobStates } from '../../model/job.ts';
import { jobSchema, listOf } from '../job-answer.ts';
import { timeSchema } from '../text-schema.ts';

/** What is answered about jobspecs. */
const clusterSchema = z
  .strictObject({
    name: z.string(),
    matches: z.boolean(),
    slots: z.int().optional().meta({ description: 'How often all of it is there.' }),
    free: z.boolean().optional().meta({ description: 'Whether it could begin at once.' }),
    reason: z.string().optional(),
    at: z.string().optional().meta({ description: 'The place in the jobspec.' }),
    detail: z.string().optional(),
  })
  .meta({ id: 'ClusterMatch', description: 'What one cluster says to a jobspec.' });

const totalsSchema = z.strictObject({
  clusters: z.int(),
  matches: z.int(),
  mismatches: z.int(),
  more: z.literal(true).optional().meta({
    description: 'The pool has more clusters, or hosts, than are asked at once; name those to ask.',
  }),
});

const selectionSchema = z
  .strictObject({
    algorithm: z.string(),
    cluster: z.string().nullable(),
    priority: z.int().nullable(),
    candidates: z.int(),
    excluded: z.array(
      z.strictObject({
        cluster: z.string(),
        priority: z.int(),
        step: z.int(),
        reason: z.string(),
      }),
    ),
    choices: z
      .array(z.strictObject({ at: z.string(), chosen: z.string() }))
      .optional()
      .meta({ description: 'Which of each `a|b` it is, by its place in the jobspec.' }),
  })
  .meta({ id: 'Selection', description: 'How one of the clusters that match was chosen.' });

export const satisfySchema = z
  .strictObject({
    satisfied: z.boolean(),
    totals: totalsSchema,
    clusters: z.array(clusterSchema),
  })
  .meta({ id: 'Satisfy', description: 'Which clusters have what a jobspec asks for.' });

export const jobspecAnswerSchema = z
  .strictObject({
    id: z.string(),
    cluster: z.string().nullable(),
    clusters: z.array(clusterSchema),
    totals: totalsSchema,
    selection: selectionSchema.nullable(),
    jobs: z.array(z.strictObject({ task: z.string(), job: jobSchema })),
  })
  .meta({ id: 'JobspecAnswer', description: 'The jobs that the tasks became, in their order.' });

export const explainSchema = z
  .strictObject({
    id: z.string(),
    cluster: z.string().nullable().meta({ description: 'Where it went.' }),
    clusters: z.array(clusterSchema),
    totals: totalsSchema,
    selection: selectionSchema.nullable().meta({ description: 'As it would be made now.' }),
  })
  .meta({ id: 'JobspecExplanation' });

const submissionStatusSchema = z.strictObject({
  state: z.enum(jobStates),
  percent: z.int(),
  tasks: z.strictObject({
    total: z.int(),
    waiting: z.int(),
    running: z.int(),
    done: z.int(),
    failed: z.int(),
    cancelled: z.int(),
  }),
  reason: z.string().nullable(),
});

export const submissionSchema = z
  .strictObject({
    id: z.string(),
    name: z.string().nullable(),
    pool: z.string(),
    queue: z.string(),
    createdAt: timeSchema,
    createdBy: z.string(),
    cluster: z.string().nullable(),
    labels: z.record(z.string(), z.string()),
    text: z.string().meta({ description: 'The jobspec as it was sent, byte for byte.' }),
    jobspec: z.unknown(),
    selection: selectionSchema.nullable(),
    status: submissionStatusSchema,
    jobs: z.array(
      z.strictObject({
        task: z.string(),
        group: z.string().nullable(),
        job: z.string().meta({ description: 'Of a group: the one job that holds all of it.' }),
        state: z.enum(jobStates),
        dependsOn: z.array(z.string()),
      }),
    ),
    groups: z.array(
      z.strictObject({
        group: z.string(),
        parent: z.string().nullable(),
        job: z.string(),
        state: z.enum(jobStates),
        edge: z.string().nullable(),
        resources: z.record(z.string(), z.number()),
        heldAt: timeSchema.nullable(),
        releasedAt: timeSchema.nullable(),
      }),
    ),
  })
  .meta({ id: 'Submission', description: 'A jobspec that was accepted, and what became of it.' });

export const submissionListSchema = listOf(
  submissionSchema.omit({ text: true, jobspec: true, selection: true }),
  'SubmissionList',
);

export const submissionGraphSchema = z
  .strictObject({
    nodes: z.array(
      z.strictObject({
        name: z.string(),
        group: z.string().nullable(),
        kind: z.enum(['task', 'group']),
        state: z.enum(jobStates),
      }),
    ),
    edges: z.array(z.strictObject({ from: z.string(), to: z.string() })),
  })
  .meta({ id: 'SubmissionGraph', description: 'Who waits for whom: from before to after.' });

export type SubmissionAnswer = z.output<typeof submissionSchema>;
export type JobspecAnswer = z.output<typeof jobspecAnswerSchema>;
export type JobspecExplanation = z.output<typeof explainSchema>;
export type SatisfyAnswer = z.output<typeof satisfySchema>;
