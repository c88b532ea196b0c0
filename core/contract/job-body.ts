import * as z from 'zod';
import {
  type Chunking,
  chunkJob,
  type JobSpec,
  type PlacementPolicy,
  type Run,
} from '../model/job.ts';
import {
  argvItemLengthMax,
  argvItemsMax,
  attemptsDefault,
  attemptsMax,
  backoffSecondsDefault,
  backoffSecondsMax,
  chunksDefault,
  chunksMax,
  deadlineSecondsMax,
  dependenciesMax,
  envEntriesMax,
  expressionsMax,
  expressionValuesMax,
  gangNodesMax,
  jobLabelsMax,
  jobPowerMax,
  lostAfterSecondsDefault,
  lostAfterSecondsMin,
  maxEdgesMax,
  powerMax,
  priorityDefault,
  priorityMax,
  requiredEdgesMax,
  resourcesMax,
} from '../model/limits.ts';
import { jobIdOf } from '../model/names.ts';
import {
  labelKeySchema,
  labelsSchema,
  nameSchema,
  nonEmptyText,
  resourceNameSchema,
  text,
  whole,
} from './text-schema.ts';

/**
 * What a user sends to submit a job: validates, types and documents it, and fills in every default.
 * Refuses fields it does not know, both `power` and `chunkPower`, and kinds of jobs that are only
 * reserved.
 */

const amount = z.number().min(0).max(powerMax);
const seconds = whole(1, deadlineSecondsMax);

const argvSchema = z.array(text(argvItemLengthMax)).min(1).max(argvItemsMax);
const envSchema = z
  .record(
    z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, {
      error: 'The name of a variable is made of letters, digits and _ and begins with no digit.',
    }),
    text(argvItemLengthMax),
  )
  .refine((env) => Object.keys(env).length <= envEntriesMax, {
    error: `At most ${envEntriesMax} variables fit here.`,
  });

const simulateSchema = z
  .strictObject({
    seconds: z.number().min(0).max(deadlineSecondsMax).optional(),
    wattSeconds: z.number().min(0).max(jobPowerMax).optional(),
  })
  .refine((run) => (run.seconds === undefined) !== (run.wattSeconds === undefined), {
    error: 'A simulated run has exactly one of "seconds" and "wattSeconds".',
  });

const processSchema = z.strictObject({
  argv: argvSchema,
  env: envSchema.default({}),
  cwd: nonEmptyText(4096).nullable().default(null),
  timeoutSeconds: seconds.nullable().default(null),
});

const containerSchema = z.strictObject({
  image: nonEmptyText(512),
  argv: z.array(text(argvItemLengthMax)).max(argvItemsMax).default([]),
  env: envSchema.default({}),
  timeoutSeconds: seconds.nullable().default(null),
});

const batchSchema = z.strictObject({
  argv: argvSchema,
  env: envSchema.default({}),
  cwd: nonEmptyText(4096).nullable().default(null),
  timeoutSeconds: seconds.nullable().default(null),
  options: z.array(text(1024)).max(64).default([]),
});

export const runSchema = z
  .strictObject({
    simulate: simulateSchema.optional(),
    process: processSchema.optional(),
    container: containerSchema.optional(),
    slurm: batchSchema.optional(),
    flux: batchSchema.optional(),
  })
  .refine((run) => Object.values(run).filter((value) => value !== undefined).length === 1, {
    error: 'A run is exactly one of "simulate", "process", "container", "slurm" and "flux".',
  })
  .meta({ id: 'Run', description: 'What one chunk runs: exactly one of the members.' });

const scalar = z.union([text(256), z.number(), z.boolean()], {
  error: 'This must be a text of at most 256 characters, a number, or true or false.',
});
const operators = ['in', 'notIn', 'exists', 'notExists', '=', '!=', '>', '>=', '<', '<='] as const;

const expressionSchema = z
  .strictObject({
    key: labelKeySchema,
    op: z.enum(operators),
    value: z
      .union([scalar, z.array(z.union([text(256), z.number()])).max(expressionValuesMax)], {
        error: 'This must be a text, a number, true or false, or a list of texts and numbers.',
      })
      .optional(),
  })
  .superRefine((expression, context) => {
    const { op, value } = expression;
    const wantsList = op === 'in' || op === 'notIn';
    const wantsNone = op === 'exists' || op === 'notExists';
    if (wantsList && !Array.isArray(value)) {
      context.addIssue({ code: 'custom', path: ['value'], message: `"${op}" needs a list.` });
    } else if (wantsNone && value !== undefined) {
      context.addIssue({ code: 'custom', path: ['value'], message: `"${op}" takes no value.` });
    } else if (!wantsList && !wantsNone && (value === undefined || Array.isArray(value))) {
      const message = `"${op}" needs a text, a number, or true or false.`;
      context.addIssue({ code: 'custom', path: ['value'], message });
    }
  });

const requiresSchema = z.strictObject({
  labels: labelsSchema(jobLabelsMax).default({}),
  expressions: z.array(expressionSchema).max(expressionsMax).default([]),
  edges: z.array(nameSchema).max(requiredEdgesMax).default([]),
});

const placementSchema = z.strictObject({
  policy: z.enum(['spread', 'pack', 'fastest']).nullable().default(null),
  maxEdges: whole(1, maxEdgesMax).nullable().default(null),
  nodes: whole(1, gangNodesMax).nullable().default(null),
});

export const retriesSchema = z.strictObject({
  attempts: whole(1, attemptsMax).default(attemptsDefault),
  backoffSeconds: whole(0, backoffSecondsMax).default(backoffSecondsDefault),
  maxFailedChunks: whole(0, chunksMax).nullable().default(null),
});

const resourcesSchema = z
  .record(resourceNameSchema, amount)
  .refine((resources) => Object.keys(resources).length <= resourcesMax, {
    error: `At most ${resourcesMax} resources fit here.`,
  })
  .refine((resources) => !('power' in resources), {
    error: 'Power is given by "power" or "chunkPower", not among the resources.',
  });

export const jobIdSchema = nameSchema.meta({ description: 'The id of a job.' });

const jobShape = {
  name: nameSchema.nullable().default(null),
  pool: nameSchema.default('default'),
  queue: nameSchema.default('default'),
  priority: whole(0, priorityMax).default(priorityDefault),
  power: whole(1, powerMax).nullable().default(null),
  chunks: whole(1, chunksMax).nullable().default(null),
  chunkPower: whole(1, powerMax).nullable().default(null),
  resources: resourcesSchema.default({}),
  run: runSchema.optional(),
  requires: requiresSchema.prefault({}),
  placement: placementSchema.prefault({}),
  retries: retriesSchema.prefault({}),
  lostAfterSeconds: whole(lostAfterSecondsMin, 86_400).default(lostAfterSecondsDefault),
  offlineSeconds: whole(0, deadlineSecondsMax).nullable().default(null),
  deadlineSeconds: whole(1, deadlineSecondsMax).nullable().default(null),
  keepOutput: z.enum(['none', 'failed', 'all']).default('failed'),
  dependsOn: z.array(jobIdSchema).max(dependenciesMax).default([]),
  labels: labelsSchema(jobLabelsMax).default({}),
  kind: z
    .enum(['batch', 'service', 'everywhere'])
    .refine((kind) => kind === 'batch', {
      error: 'Only "batch" jobs can be submitted; "service" and "everywhere" are reserved.',
    })
    .default('batch'),
};

export const jobBodySchema = z
  .strictObject(jobShape)
  .superRefine((body, context) => {
    const { nodes } = body.placement;
    const issue = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message });
    if (body.power !== null && body.chunkPower !== null) {
      issue('chunkPower', 'A job gives "power" or "chunkPower", not both.');
    } else if (body.power !== null && body.chunks !== null && body.chunks > body.power) {
      issue('chunks', `Power ${body.power} cannot be divided into ${body.chunks} chunks.`);
    } else if ((body.chunkPower ?? 1) * (body.chunks ?? 1) > jobPowerMax) {
      issue('chunks', `All chunks together may ask for a power of at most ${jobPowerMax}.`);
    }
    if (nodes !== null && body.chunks !== null && body.chunks < nodes) {
      issue('chunks', `A gang on ${nodes} nodes needs at least as many chunks.`);
    }
    if (new Set(body.dependsOn).size < body.dependsOn.length) {
      issue('dependsOn', 'A job is named twice here.');
    }
  })
  .meta({ id: 'JobBody', description: 'A job as it is submitted; every field has a default.' });

export type JobBody = z.output<typeof jobBodySchema>;

/** What of a submitted job may change later. */
export const jobPatchSchema = z
  .strictObject({
    priority: jobShape.priority.unwrap().optional(),
    labels: jobShape.labels.unwrap().optional(),
    retries: z
      .strictObject({
        attempts: whole(1, attemptsMax).optional(),
        backoffSeconds: whole(0, backoffSecondsMax).optional(),
        maxFailedChunks: whole(0, chunksMax).nullable().optional(),
      })
      .optional(),
  })
  .meta({ id: 'JobPatch', description: 'Replaces what it names.' });

export type JobPatch = z.output<typeof jobPatchSchema>;

/** What a pool decides about jobs that leave it open. */
export type PoolDefaults = {
  readonly largestEdgePower: number | null;
  readonly policy: PlacementPolicy;
};

/** The spec that is stored and answered: what was sent plus defaults, and how it is cut. */
export function fillJob(
  body: JobBody,
  defaults: PoolDefaults,
): { spec: JobSpec; chunking: Chunking } {
  const { largestEdgePower } = defaults;
  const chunking = chunkJob(body, { chunks: chunksDefault, largestEdgePower });
  const run = (body.run ?? { simulate: { wattSeconds: chunking.chunkPower } }) as Run;
  const expressions = body.requires.expressions as JobSpec['requires']['expressions'];
  const spec: JobSpec = {
    name: body.name,
    pool: body.pool,
    queue: body.queue,
    priority: body.priority,
    power: body.power,
    chunks: chunking.chunks,
    chunkPower: body.power === null ? chunking.chunkPower : null,
    resources: body.resources,
    run,
    requires: { ...body.requires, expressions },
    placement: { ...body.placement, policy: body.placement.policy ?? defaults.policy },
    retries: body.retries,
    lostAfterSeconds: body.lostAfterSeconds,
    offlineSeconds: body.offlineSeconds,
    deadlineSeconds: body.deadlineSeconds,
    keepOutput: body.keepOutput,
    dependsOn: body.dependsOn.map(jobIdOf),
    labels: body.labels,
    kind: body.kind,
  };
  return { spec, chunking };
}
