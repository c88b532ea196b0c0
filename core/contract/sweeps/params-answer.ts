import * as z from 'zod';

/** What is answered of the parameters of chunks. */
export const parametersSchema = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
  .meta({ id: 'Parameters', description: 'What a chunk of a sweep is given.' });

export const chunkParametersSchema = z
  .strictObject({
    items: z.array(z.strictObject({ chunk: z.int().min(0), params: parametersSchema })),
    next: z.int().min(0).nullable().meta({
      description: 'The first chunk that was asked for and is not among them; ask again for it.',
    }),
  })
  .meta({ id: 'ChunkParameters', description: 'Parameters of chunks, by number.' });

export type ChunkParametersAnswer = z.output<typeof chunkParametersSchema>;
