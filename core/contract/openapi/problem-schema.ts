import * as z from 'zod';
import { type Problem, type ProblemCode, problemCodes } from '../problem.ts';

/** An error as the contract has it: beside its table, because who only answers one checks none. */
export const problemSchema = z
  .strictObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    code: z.enum(problemCodes as [ProblemCode, ...ProblemCode[]]),
    detail: z.string(),
    errors: z.array(z.strictObject({ pointer: z.string(), message: z.string() })).optional(),
    requestId: z.string(),
  })
  .meta({
    id: 'Problem',
    description: 'What went wrong, in words; `code` is stable.',
  }) satisfies z.ZodType<Problem>;

/** What Amazon's gateway says when it refuses by itself, because there is too much of something. */
export const gatewayRefusalSchema = z
  .object({ message: z.string() })
  .meta({ id: 'GatewayRefusal', description: 'What is said before a request reaches the API.' });
