import * as z from 'zod';
import { parseRanges } from '../../model/ranges.ts';
import { rangesTextLengthMax } from '../../services/limits.ts';
import { specAnswerSchema } from '../job-answer.ts';
import { text, timeSchema } from '../text-schema.ts';

/** Generations of a service: to look at, to go back to, and to start anew. */
export const rollbackBodySchema = z
  .strictObject({
    generation: z
      .int()
      .min(1)
      .optional()
      .meta({ description: 'Which one; the one before where it is left out.' }),
  })
  .meta({ id: 'RollbackBody' });

export type RollbackBody = z.output<typeof rollbackBodySchema>;

export const restartBodySchema = z
  .strictObject({
    chunks: text(rangesTextLengthMax)
      .refine((chunks) => chunks !== '' && parseRanges(chunks) !== null, {
        error: 'Instances are written as 0-1,4.',
      })
      .optional()
      .meta({ description: 'Which instances, as 0-1,4; all where it is left out.' }),
  })
  .meta({ id: 'RestartBody' });

export type RestartBody = z.output<typeof restartBodySchema>;

const { run, resources, requires } = specAnswerSchema.shape;

export const generationSchema = z
  .strictObject({
    generation: z.int().min(1),
    createdAt: timeSchema,
    createdBy: z.string(),
    run,
    resources,
    requires,
  })
  .meta({ id: 'Generation', description: 'What the instances of a service ran at a time.' });

export type GenerationAnswer = z.output<typeof generationSchema>;

export const generationListSchema = z
  .strictObject({ items: z.array(generationSchema), nextCursor: z.string().nullable() })
  .meta({ id: 'GenerationList', description: 'The last ten, newest first.' });
