import * as z from 'zod';
import { graphqlBytesMax } from '../model/limits.ts';
import { text } from './text-schema.ts';

/** What is sent to `/graphql`, and the outer form of what comes back. */
export const graphqlBodySchema = z
  .strictObject({
    query: text(graphqlBytesMax).min(1),
    variables: z.record(z.string(), z.unknown()).nullable().default(null),
    operationName: text(128).nullable().default(null),
    extensions: z
      .record(z.string(), z.unknown())
      .nullable()
      .default(null)
      .meta({ description: 'Taken as many clients send it, and not looked at.' }),
  })
  .meta({ id: 'GraphqlBody' });

export const graphqlAnswerSchema = z
  .strictObject({
    data: z.unknown().optional(),
    errors: z.array(z.looseObject({ message: z.string() })).optional(),
  })
  .meta({ id: 'GraphqlAnswer' });
