import * as z from 'zod';
import { chunksMax, jobspecTasksMax } from '../model/limits.ts';
import { nonEmptyText, text, whole } from './text-schema.ts';

/** A jobspec of version 1 as it is sent; what it says of jobs is in `jobspec.ts`. */
export type Resource = {
  readonly type: string;
  readonly count?: number | undefined;
  readonly replicas?: number | undefined;
  readonly with?: readonly Resource[] | undefined;
  readonly requires?: readonly Requirement[] | undefined;
};

export type Requirement = {
  readonly name?: string | undefined;
  readonly field: string;
  readonly match?: string | number | undefined;
  readonly value?: string | number | undefined;
  readonly min?: string | number | undefined;
  readonly max?: string | number | undefined;
};

const requirementSchema = z.strictObject({
  name: nonEmptyText(64).optional(),
  field: nonEmptyText(128),
  match: z.union([text(256), z.number()]).optional(),
  value: z.union([text(256), z.number()]).optional(),
  min: z.union([text(256), z.number()]).optional(),
  max: z.union([text(256), z.number()]).optional(),
});

const resourceSchema: z.ZodType<Resource> = z.strictObject({
  type: nonEmptyText(63),
  count: whole(1, 100_000).optional(),
  replicas: whole(1, chunksMax).optional(),
  with: z
    .array(z.lazy(() => resourceSchema))
    .max(16)
    .optional(),
  requires: z.array(requirementSchema).max(32).optional(),
  schedule: z.boolean().optional(),
  label: text(64).optional(),
  unit: text(64).optional(),
  exclusive: z.boolean().optional(),
});

const durationSchema = z.union([z.number().min(0), z.string().regex(/^\d+(\.\d+)?[smhd]?$/)], {
  error: 'A duration is a number of seconds, or a text like 300s, 5m, 2h or 1d.',
});

const attributesSchema = z.strictObject({
  duration: durationSchema.optional(),
  cwd: nonEmptyText(4096).optional(),
  environment: z.record(text(128), z.union([text(65_536), z.number()])).optional(),
});

/** What the format knows and we do not: better refused than ignored. */
const notYet = (what: string) => z.undefined({ error: `${what} not supported.` }).optional();

const taskSchema = z.strictObject({
  name: nonEmptyText(64).optional(),
  command: z
    .union([nonEmptyText(65_536), z.array(text(65_536)).min(1).max(1_000)], {
      error: 'A task needs a command: a text or a list of texts.',
    })
    .optional(),
  resources: nonEmptyText(128).optional(),
  depends_on: z.array(nonEmptyText(64)).max(20).optional(),
  replicas: whole(1, chunksMax).optional(),
  attributes: attributesSchema.optional(),
  group: nonEmptyText(64).optional(),
  steps: notYet('Steps are'),
  local: notYet('Local tasks are'),
  requires: notYet('Requirements of subsystems are'),
});

const groupSchema = z.strictObject({
  name: nonEmptyText(64).optional(),
  resources: nonEmptyText(128).optional(),
  depends_on: z.array(nonEmptyText(64)).max(20).optional(),
  tasks: z.array(taskSchema).min(1).max(jobspecTasksMax),
  groups: notYet('Groups written inside of groups are'),
});

export const jobspecSchema = z.strictObject({
  version: z.literal(1, { error: 'Only version 1 is known.' }),
  name: nonEmptyText(64).optional(),
  resources: z.record(nonEmptyText(128), resourceSchema).default({}),
  tasks: z.array(taskSchema).max(jobspecTasksMax).default([]),
  groups: z.array(groupSchema).max(jobspecTasksMax).optional(),
  requires: notYet('Requirements of subsystems are'),
  attributes: attributesSchema.optional(),
});

export type Jobspec = z.output<typeof jobspecSchema>;
export type Attributes = z.output<typeof attributesSchema>;
