import * as z from 'zod';
import { chunksMax, dependenciesMax } from '../../model/limits.ts';
import { nonEmptyText, text, whole } from '../text-schema.ts';
import { durationSchema } from './duration.ts';
import { jobspecGroupDepthMax, jobspecParametersMax, jobspecTasksMax } from './limits.ts';

/** A jobspec of version 1 as it is sent; what it says of jobs is in `plan-jobspec.ts`. */
export type Resource = {
  readonly type: string;
  readonly count?: number | undefined;
  readonly replicas?: number | undefined;
  readonly with?: readonly Resource[] | undefined;
  readonly requires?: readonly Requirement[] | undefined;
  readonly attributes?: Attributes | undefined;
  readonly schedule?: boolean | undefined;
  readonly label?: string | undefined;
  readonly unit?: 'count' | 'MB' | 'GB' | undefined;
  readonly exclusive?: boolean | undefined;
};

type Comparable = string | number;

/** What a vertex, or what is attached to it, must say of itself. */
export type Requirement = {
  readonly name: string;
  readonly field: string;
  readonly match?: Comparable | boolean | undefined;
  readonly value?: Comparable | boolean | undefined;
  readonly min?: Comparable | undefined;
  readonly max?: Comparable | undefined;
  readonly attribute?: string | undefined;
};

const comparable = z.union([text(256), z.number()], {
  error: 'This must be a text of at most 256 characters or a number.',
});
const scalar = z.union([text(256), z.number(), z.boolean()], {
  error: 'This must be a text of at most 256 characters, a number, true or false.',
});

const requirementSchema = z
  .strictObject({
    name: nonEmptyText(64),
    field: nonEmptyText(128),
    match: scalar.optional(),
    value: scalar.optional(),
    min: comparable.optional(),
    max: comparable.optional(),
    attribute: nonEmptyText(128).optional(),
  })
  .superRefine((item, context) => {
    const issue = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message });
    if (item.attribute !== undefined && item.value === undefined) {
      issue('attribute', 'An attribute is compared with a "value"; there is none.');
    }
    if (item.attribute === undefined && item.value !== undefined && item.match !== undefined) {
      issue('value', '"value" without "attribute" means "match"; give one of the two.');
    }
  });

const requirementsSchema = z.array(requirementSchema, {
  error: 'Requirements are a list, each with "name" and "field".',
});

const environmentSchema = z.record(
  z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, {
    error: 'The name of a variable is made of letters, digits and _ and begins with no digit.',
  }),
  z.union([text(65_536), z.number()]),
);

const attributeShape = {
  duration: durationSchema.optional(),
  cwd: nonEmptyText(4096).optional(),
  environment: environmentSchema.optional(),
  watch: z.boolean().optional(),
  parameter: z
    .record(nonEmptyText(64), scalar)
    .refine((them) => Object.keys(them).length <= jobspecParametersMax, {
      error: `At most ${jobspecParametersMax} parameters fit here.`,
    })
    .optional(),
};
const attributesSchema = z.strictObject(attributeShape);
const groupAttributesSchema = z.strictObject({
  ...attributeShape,
  stopOnFailure: z.boolean().optional(),
});

const resourceSchema: z.ZodType<Resource> = z
  .strictObject({
    type: nonEmptyText(63),
    count: whole(1, 100_000).optional(),
    replicas: whole(1, chunksMax).optional(),
    with: z
      .array(z.lazy(() => resourceSchema))
      .max(16)
      .optional(),
    requires: requirementsSchema.max(32).optional(),
    attributes: attributesSchema.optional(),
    schedule: z.boolean().optional(),
    label: nonEmptyText(64).optional(),
    unit: z.enum(['count', 'MB', 'GB'], { error: 'A unit is "count", "MB" or "GB".' }).optional(),
    exclusive: z.boolean().optional(),
  })
  .superRefine((resource, context) => {
    const issue = (path: (string | number)[], message: string) =>
      context.addIssue({ code: 'custom', path, message });
    if (resource.count !== undefined && resource.replicas !== undefined) {
      issue(['replicas'], 'A resource has a "count", or as a slot "replicas", not both.');
    }
    if (resource.exclusive === true && !/^nodes?$/.test(resource.type)) {
      issue(['exclusive'], 'Only a node can be exclusive.');
    }
    const seen = new Set<string>();
    for (const [at, { type }] of (resource.with ?? []).entries()) {
      if (type === 'slot') continue;
      if (seen.has(type)) {
        issue(['with', at, 'type'], `"${type}" is here twice; say once how many are needed.`);
      }
      seen.add(type);
    }
  });

const stepSchema = z.strictObject({
  name: z.literal('stage', { error: 'The only step is "stage".' }),
  path: nonEmptyText(4096),
});

const taskSchema = z.strictObject({
  name: nonEmptyText(64).optional(),
  command: z
    .union([nonEmptyText(65_536), z.array(text(65_536)).min(1).max(1_000)], {
      error: 'A task needs a command: a text or a list of texts.',
    })
    .optional(),
  resources: nonEmptyText(256).optional(),
  slot: nonEmptyText(64).optional(),
  depends_on: z.array(nonEmptyText(64)).max(dependenciesMax).optional(),
  replicas: whole(1, chunksMax).optional(),
  attributes: attributesSchema.optional(),
  group: nonEmptyText(64).optional(),
  steps: z.array(stepSchema).max(16).optional(),
  local: z.boolean().optional(),
  requires: nonEmptyText(256).optional(),
  watch: z.boolean().optional(),
});

export type Group = {
  readonly name?: string | undefined;
  readonly resources?: string | undefined;
  readonly depends_on?: readonly string[] | undefined;
  readonly tasks: readonly Task[];
  readonly groups?: readonly Group[] | undefined;
  readonly attributes?: GroupAttributes | undefined;
  readonly requires?: string | undefined;
};

const groupShape = {
  name: nonEmptyText(64).optional(),
  resources: nonEmptyText(256).optional(),
  depends_on: z.array(nonEmptyText(64)).max(dependenciesMax).optional(),
  tasks: z.array(taskSchema).min(1).max(jobspecTasksMax),
  attributes: groupAttributesSchema.optional(),
  requires: nonEmptyText(256).optional(),
};

/** Groups within groups, as deep as is said: a document without end is refused before. */
function groupSchemaAt(depth: number): z.ZodType<Group> {
  const message = `Groups are at most ${jobspecGroupDepthMax} deep.`;
  const inner = depth < jobspecGroupDepthMax ? groupSchemaAt(depth + 1) : z.never(message);
  return z.strictObject({
    ...groupShape,
    groups: z.array(inner).max(jobspecTasksMax).optional(),
  });
}

const before =
  'This is the format before the next generation: version 1 names its resources and lists tasks.';

export const jobspecSchema = z.strictObject({
  version: z.literal(1, { error: 'Only version 1 is known.' }),
  name: nonEmptyText(64).optional(),
  resources: z.record(nonEmptyText(128), resourceSchema, { error: before }).default({}),
  tasks: z.array(taskSchema).max(jobspecTasksMax).default([]),
  groups: z.array(groupSchemaAt(1)).max(jobspecTasksMax).optional(),
  requires: z.record(nonEmptyText(128), requirementsSchema.min(1).max(32)).optional(),
  attributes: attributesSchema.optional(),
  task: z.undefined({ error: before }).optional(),
});

export type Jobspec = z.output<typeof jobspecSchema>;
export type Task = z.output<typeof taskSchema>;
export type Attributes = z.output<typeof attributesSchema>;
export type GroupAttributes = z.output<typeof groupAttributesSchema>;
