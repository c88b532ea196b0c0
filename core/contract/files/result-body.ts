import * as z from 'zod';
import {
  fileAddressesMax,
  keepDaysMax,
  manifestEntriesMax,
  outputPathLengthMax,
  outputPathsMax,
  outputsMbDefault,
  outputsMbMax,
} from '../../files/limits.ts';
import { patternProblem } from '../../files/result-pattern.ts';
import { attemptsMax } from '../../model/limits.ts';
import { text, whole } from '../text-schema.ts';
import { checkParts, digestSchema, fileInPartsFields } from './file-body.ts';

/** Files that chunks leave: which they are, how edges store them, and how they are read. */

const patternSchema = text(outputPathLengthMax).superRefine((pattern, context) => {
  const problem = patternProblem(pattern);
  if (problem !== null) context.addIssue({ code: 'custom', message: `This pattern ${problem}.` });
});

export const outputsSchema = z
  .strictObject({
    paths: z
      .array(patternSchema)
      .min(1)
      .max(outputPathsMax)
      .meta({ description: 'Patterns below the directory of the chunk, or EDGEWISE_OUTPUT.' }),
    on: z
      .enum(['done', 'always'])
      .default('done')
      .meta({ description: 'Of chunks that are done, or also of failed attempts.' }),
    maxMb: whole(1, outputsMbMax)
      .default(outputsMbDefault)
      .meta({ description: 'What the results of one chunk may come to.' }),
  })
  .meta({ id: 'Outputs', description: 'Which files that a chunk leaves are its results.' });

export const keepDaysSchema = whole(1, keepDaysMax).meta({
  description: 'For how long results are kept, at least; 30 days by default.',
});

export const resultUploadsBodySchema = z
  .strictObject({
    files: z
      .array(z.strictObject(fileInPartsFields).superRefine(checkParts))
      .min(1)
      .max(fileAddressesMax)
      .refine((files) => files.length === 1 || files.every(({ parts }) => parts === undefined), {
        error: 'A file in parts is asked for alone.',
      }),
  })
  .meta({ id: 'ResultUploadsBody' });

export const resultBodySchema = z
  .strictObject({
    manifest: digestSchema.meta({ description: 'The digest of the list of its files.' }),
    files: whole(0, manifestEntriesMax),
    bytes: whole(0, outputsMbMax * 1024 * 1024),
    attempt: whole(1, attemptsMax * 10),
    done: z.boolean().meta({ description: 'Whether the attempt is done, or failed.' }),
  })
  .meta({ id: 'ResultBody', description: 'What an attempt of a chunk left.' });

export const resultFileSchema = z
  .strictObject({
    chunk: z.int(),
    path: z.string(),
    bytes: z.int().optional(),
    sha256: z.string().optional(),
    executable: z.literal(true).optional(),
    url: z.string().optional().meta({ description: 'Where it can be read, for an hour.' }),
    link: z.string().optional().meta({ description: 'Of a link, in the place of the others.' }),
  })
  .meta({ id: 'ResultFile' });

export const resultFileListSchema = z
  .strictObject({ items: z.array(resultFileSchema), nextCursor: z.string().nullable() })
  .meta({ id: 'ResultFileList', description: 'By chunk and path; a page may hold few.' });

export type ResultFile = z.output<typeof resultFileSchema>;
