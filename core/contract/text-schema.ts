import * as z from 'zod';
import { labelKeyLengthMax, labelLengthMax } from '../model/limits.ts';
import { namePattern } from '../model/names.ts';

/**
 * The building blocks of every body: texts, names, amounts and labels.
 *
 * A text is refused when it could not come back byte for byte: half of a surrogate pair has no
 * UTF-8 form, and a NUL can be passed neither to a process nor through every store. What passes
 * here is returned exactly as it was sent.
 */

const labelKeyPattern = /^[A-Za-z0-9_][A-Za-z0-9._/-]*$/;
const resourceNamePattern = /^[A-Za-z][A-Za-z0-9._-]{0,62}$/;

const noNul = (value: string) => !value.includes('\u0000');
const wellFormed = (value: string) => value.isWellFormed();

export function text(lengthMax: number) {
  return z
    .string()
    .max(lengthMax)
    .refine(noNul, { error: 'A text must not contain the NUL character.' })
    .refine(wellFormed, {
      error: 'A text must be valid Unicode; this one holds half a character.',
    });
}

export function nonEmptyText(lengthMax: number) {
  return text(lengthMax).min(1);
}

export const nameSchema = z
  .string()
  .regex(namePattern, {
    error: 'A name is 1 to 64 lower-case letters, digits and inner hyphens.',
  })
  .meta({ description: 'Lower-case letters, digits and inner hyphens, at most 64.' });

export function whole(min: number, max: number) {
  return z.int().min(min).max(max);
}

export const labelKeySchema = z.string().max(labelKeyLengthMax).regex(labelKeyPattern, {
  error: 'A label key is made of letters, digits and . _ / - and begins with a letter or digit.',
});

/** Names with texts; `entriesMax` bounds how many. */
export function labelsSchema(entriesMax: number) {
  return z
    .record(labelKeySchema, text(labelLengthMax))
    .refine((labels) => Object.keys(labels).length <= entriesMax, {
      error: `At most ${entriesMax} labels fit here.`,
    });
}

export const resourceNameSchema = z.string().regex(resourceNamePattern, {
  error: 'The name of a resource is made of letters, digits and . _ - and begins with a letter.',
});

/** An instant as it is written on the wire. */
export const timeSchema = z.iso.datetime().meta({ description: 'ISO 8601, UTC.' });
