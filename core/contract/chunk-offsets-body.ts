import * as z from 'zod';
import { countOfOffsets, readNumbers } from '../federation/chunk-offsets.ts';
import { chunkNumbersLengthMax, federationDepthMax } from '../federation/limits.ts';
import { chunksMax, nameLengthMax } from '../model/limits.ts';
import { nameSchema, nonEmptyText, whole } from './text-schema.ts';

/** A job that is a part of another one, in the words of who submits it. */
export const chunkOffsetsSchema = z
  .strictObject({
    numbers: z
      .string()
      .superRefine((text, context) => {
        const numbers = readNumbers(text);
        if (typeof numbers === 'string') context.addIssue({ code: 'custom', message: numbers });
      })
      .meta({
        description: 'Chunk i sees the i-th of these as its number: 0-99,140.',
        maxLength: chunkNumbersLengthMax,
      }),
    total: whole(1, chunksMax).optional().meta({
      description: 'Chunks of the other job, which chunks see; by default those of this one.',
    }),
    job: nameSchema.optional().meta({
      description: 'The id that chunks see as that of their job; by default that of this one.',
    }),
    path: z
      .array(nonEmptyText(nameLengthMax))
      .max(federationDepthMax - 1)
      .optional()
      .meta({ description: 'The deployments that handed it over, the first one first.' }),
  })
  .meta({
    id: 'ChunkOffsets',
    description:
      'The job is a part of another one, and its chunks see the numbers they have there.',
  });

type Part = {
  readonly kind: string;
  readonly chunks: number | null;
  readonly chunkOffsets?: z.output<typeof chunkOffsetsSchema> | undefined;
};

/** What of them does not fit the rest of the job: the field, and a sentence. */
export function offsetsIssues(body: Part): readonly (readonly [string, string])[] {
  const count = countOfOffsets(body.chunkOffsets);
  if (count === null) return [];
  if (body.kind !== 'batch') {
    return [['chunkOffsets', 'Only chunks of a batch job have the numbers of others.']];
  }
  if (body.chunks === null || body.chunks === count) return [];
  return [['chunks', `There are ${count} numbers; leave "chunks" out.`]];
}
