import * as z from 'zod';
import { countOfOffsets } from '../federation/chunk-offsets.ts';
import { outputMbMax } from '../files/limits.ts';
import {
  type Chunking,
  chunkJob,
  type JobInput,
  type JobSpec,
  type PlacementPolicy,
  type Run,
} from '../model/job.ts';
import {
  attemptsDefault,
  attemptsMax,
  backoffSecondsDefault,
  backoffSecondsMax,
  batchJobsMax,
  chunksDefault,
  chunksMax,
  deadlineSecondsMax,
  dependenciesMax,
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
import { isVersion } from '../model/versions.ts';
import { instancesMax } from '../services/limits.ts';
import { hasNamedDigest } from '../sweeps/fill-inputs.ts';
import type { EndReceiver } from '../webhooks/end-receiver.ts';
import { chunkOffsetsSchema, offsetsIssues } from './chunk-offsets-body.ts';
import { inputsSchema } from './files/file-body.ts';
import { keepDaysSchema, outputsSchema } from './files/result-body.ts';
import { runSchema } from './runs/run-body.ts';
import {
  checkService,
  everywhereFields,
  fillService,
  serviceFields,
  uniqueNameSchema,
} from './services/service-body.ts';
import { signatureSchema } from './signature-body.ts';
import {
  knownOf,
  paramsSchema,
  sweepIssues,
  sweepOf,
  writtenSweepOf,
} from './sweeps/params-body.ts';
import {
  labelKeySchema,
  labelsSchema,
  nameSchema,
  resourceNameSchema,
  text,
  whole,
} from './text-schema.ts';
import { onEndSchema } from './webhooks/webhook-body.ts';

/**
 * What a user sends to submit a job: validates, types and documents it, and fills in every default.
 * Refuses fields it does not know, both `power` and `chunkPower`, and kinds of jobs that are only
 * reserved.
 */

const amount = z.number().min(0).max(powerMax);

const scalar = z.union([text(256), z.number(), z.boolean()], {
  error: 'This must be a text of at most 256 characters, a number, or true or false.',
});
const operators = ['in', 'notIn', 'exists', 'notExists', '=', '!=', '>', '>=', '<', '<='] as const;

const ordering: ReadonlySet<string> = new Set(['>', '>=', '<', '<=']);

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
    } else if (ordering.has(op) && !isVersion(String(value))) {
      const message = `"${op}" compares numbers and versions, like 4 or 5.10; this is neither.`;
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
  chunks: whole(0, chunksMax).nullable().default(null),
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
  outputMb: whole(1, outputMbMax).optional(),
  stderr: z.enum(['joined', 'apart']).default('joined'),
  keepDirectory: z.enum(['none', 'failed']).default('none'),
  inputs: inputsSchema.default([]),
  params: paramsSchema.optional(),
  chunkOffsets: chunkOffsetsSchema.optional(),
  outputs: outputsSchema.nullable().default(null),
  keepDays: keepDaysSchema.optional(),
  onEnd: onEndSchema.optional(),
  signature: signatureSchema.optional(),
  dependsOn: z.array(jobIdSchema).max(dependenciesMax).default([]),
  labels: labelsSchema(jobLabelsMax).default({}),
  kind: z.enum(['batch', 'service', 'everywhere']).default('batch'),
  uniqueName: uniqueNameSchema,
  ...serviceFields,
  ...everywhereFields,
};

export const jobBodySchema = z
  .strictObject(jobShape)
  .superRefine((body, context) => {
    const { nodes } = body.placement;
    const issue = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message });
    const chunks = body.chunks ?? countOfOffsets(body.chunkOffsets);
    if (body.power !== null && body.chunkPower !== null) {
      issue('chunkPower', 'A job gives "power" or "chunkPower", not both.');
    } else if (body.power !== null && chunks !== null && chunks > body.power) {
      issue('chunks', `Power ${body.power} cannot be divided into ${chunks} chunks.`);
    } else if ((body.chunkPower ?? 1) * (chunks ?? 1) > jobPowerMax) {
      issue('chunks', `All chunks together may ask for a power of at most ${jobPowerMax}.`);
    }
    if (nodes !== null && chunks !== null && chunks < nodes) {
      issue('chunks', `A gang on ${nodes} nodes needs at least as many chunks.`);
    }
    checkService(body, (path, message) => {
      context.addIssue({ code: 'custom', path: [...path], message });
    });
    for (const [path, message] of offsetsIssues(body)) issue(path, message);
    if (new Set(body.dependsOn).size < body.dependsOn.length) {
      issue('dependsOn', 'A job is named twice here.');
    }
    for (const [at, input] of body.inputs.entries()) {
      if (body.params !== undefined || !hasNamedDigest(input as JobInput)) continue;
      const path = ['inputs', at, input.sha256 === undefined ? 'manifest' : 'sha256'];
      const message = 'Only a job with "params" has names in digests.';
      context.addIssue({ code: 'custom', path, message });
    }
    const written = body.params === undefined ? null : writtenSweepOf(body.params);
    for (const { pointer, message } of written === null
      ? []
      : sweepIssues({ ...body, chunks }, knownOf(written))) {
      context.addIssue({ code: 'custom', path: pointer.slice(1).split('/'), message });
    }
  })
  .meta({ id: 'JobBody', description: 'A job as it is submitted; every field has a default.' });

export type JobBody = z.output<typeof jobBodySchema>;

export const jobBatchBodySchema = z
  .strictObject({ jobs: z.array(jobBodySchema).min(1).max(batchJobsMax) })
  .superRefine(({ jobs }, context) => {
    for (const [at, { uniqueName }] of jobs.entries()) {
      if (uniqueName !== true) continue;
      const message = 'The only service of a name is submitted by itself.';
      context.addIssue({ code: 'custom', path: ['jobs', at, 'uniqueName'], message });
    }
  })
  .meta({ id: 'JobBatchBody', description: 'Jobs that are submitted together: all or none.' });

export type JobBatchBody = z.output<typeof jobBatchBodySchema>;

/** What of a submitted job may change later. */
export const jobPatchSchema = z
  .strictObject({
    priority: jobShape.priority.unwrap().optional(),
    labels: jobShape.labels.unwrap().optional(),
    chunks: whole(0, instancesMax)
      .optional()
      .meta({ description: 'Of a service: so many instances from now on.' }),
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
  const asked = body.chunks ?? countOfOffsets(body.chunkOffsets);
  const chunks = body.kind === 'everywhere' ? 0 : asked;
  const chunking = chunkJob({ ...body, chunks }, { chunks: chunksDefault, largestEdgePower });
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
    ...(body.outputMb === undefined ? {} : { outputMb: body.outputMb }),
    ...(body.stderr === 'joined' ? {} : { stderr: body.stderr }),
    ...(body.keepDirectory === 'none' ? {} : { keepDirectory: body.keepDirectory }),
    ...(body.inputs.length === 0 ? {} : { inputs: body.inputs as readonly JobInput[] }),
    ...(body.params === undefined ? {} : { params: sweepOf(body.params) }),
    ...(body.chunkOffsets === undefined ? {} : { chunkOffsets: body.chunkOffsets }),
    ...(body.outputs === null ? {} : { outputs: body.outputs }),
    ...(body.keepDays === undefined ? {} : { keepDays: body.keepDays }),
    ...(body.onEnd === undefined ? {} : { onEnd: body.onEnd as EndReceiver }),
    ...(body.signature === undefined ? {} : { signature: body.signature }),
    dependsOn: body.dependsOn.map(jobIdOf),
    labels: body.labels,
    kind: body.kind,
    ...fillService(body),
  };
  return { spec, chunking };
}
