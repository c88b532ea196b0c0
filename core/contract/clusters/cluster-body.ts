import * as z from 'zod';
import { graphBytesMax, stateKeyLengthMax, stateKeysMax } from '../../graph/limits.ts';
import { isScalar } from '../../graph/vertex.ts';
import { tokenTtlSecondsMax } from '../../model/limits.ts';
import { digestSchema } from '../files/file-body.ts';
import { listOf } from '../job-answer.ts';
import { nonEmptyText, timeSchema, whole } from '../text-schema.ts';

/** What is sent and answered about edges that are clusters. */

const count = z.int().min(0);
const counts = z.record(z.string(), count);

/** Which graphs are good is said by `core/graph`, with the place of each mistake. */
export const graphDocumentSchema = z.looseObject({}).meta({
  id: 'GraphDocument',
  description:
    'JSON Graph Format 2: `graph.nodes` by id with `metadata.type` and `metadata.size`, ' +
    '`graph.edges` with `source`, `target` and the relation `contains`. Of a cluster without ' +
    'fixed nodes `limits`: `nodes`, `coresPerNode`, `gpusPerNode`, `types`.',
});

export const nodesUploadBodySchema = z
  .strictObject({
    sha256: digestSchema,
    bytes: whole(1, graphBytesMax),
  })
  .meta({ id: 'NodesUploadBody', description: 'Of what will be put there; packed or not.' });

export const nodesUploadSchema = z
  .strictObject({
    uploadUrl: z.string(),
    headers: z.record(z.string(), z.string()),
    token: z.string().meta({ description: 'PUT {"upload": token} as the graph.' }),
    expiresAt: timeSchema,
  })
  .meta({
    id: 'NodesUpload',
    description: 'PUT the bytes to this address, with these headers; other bytes are refused.',
  });

/** In place of a graph that was put elsewhere before. */
export const uploadedNodesSchema = z.strictObject({ upload: digestSchema });

export const graphSummarySchema = z
  .strictObject({
    vertices: count,
    counts: counts.meta({ description: 'Summed sizes by type.' }),
    subsystems: z.array(z.string()),
    hash: z.string(),
    registeredAt: timeSchema,
  })
  .meta({ id: 'GraphSummary' });

export const subsystemSchema = z
  .strictObject({
    name: z.string(),
    vertices: count,
    attachedTo: count.meta({ description: 'Vertices of the cluster that it is attached to.' }),
    types: counts,
    registeredAt: timeSchema,
  })
  .meta({ id: 'Subsystem' });

export const subsystemListSchema = listOf(subsystemSchema, 'SubsystemList');

const scalar = z.union([z.string(), z.number(), z.boolean()]);

export const stateBodySchema = z
  .record(nonEmptyText(stateKeyLengthMax), z.unknown())
  .superRefine((state, context) => {
    const refuse = (path: string[], message: string) =>
      context.addIssue({ code: 'custom', path, message });
    if (Object.keys(state).length > stateKeysMax) {
      refuse([], `A state has at most ${stateKeysMax} keys.`);
    }
    for (const [key, value] of Object.entries(state)) {
      if (/\p{Cc}/u.test(key)) refuse([key], 'A key has no control characters.');
      if (value !== null && !isScalar(value)) {
        refuse(
          [key],
          'A value is a text of at most 256 characters, a number, true, false or null.',
        );
      }
    }
  })
  .meta({ id: 'StateBody', description: 'Merged key by key; null removes a key.' });

export const stateSchema = z
  .strictObject({
    state: z.record(z.string(), scalar),
    updatedAt: timeSchema.nullable(),
    keys: z.record(z.string(), timeSchema).meta({ description: 'When each was sent.' }),
  })
  .meta({ id: 'State' });

export type StateAnswer = z.output<typeof stateSchema>;

export const submitTokenBodySchema = z
  .strictObject({
    name: nonEmptyText(64),
    ttlSeconds: whole(1, tokenTtlSecondsMax).nullable().default(null),
  })
  .meta({ id: 'SubmitTokenBody' });
