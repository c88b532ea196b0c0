import * as z from 'zod';
import { nonEmptyText } from '../contract/text-schema.ts';
import type { FieldError } from '../contract/validation.ts';
import {
  selectionExpressionLengthMax,
  selectionPrioritiesMax,
  selectionStepsMax,
} from './limits.ts';
import { type Expression, parseExpression } from './parse-expression.ts';

/**
 * The priorities of a selection by constraints, parsed once: each is a list of steps that filter,
 * calculate and sort the clusters that match, and pick one of those that are left.
 */
const expressionText = nonEmptyText(selectionExpressionLengthMax * 2);

const stepSchema = z
  .strictObject({
    filter: expressionText.optional(),
    calc: expressionText.optional(),
    sort_ascending: expressionText.optional(),
    sort_descending: expressionText.optional(),
    select: z.enum(['first', 'last', 'random']).optional(),
  })
  .refine((step) => Object.values(step).filter((it) => it !== undefined).length === 1, {
    error: 'A step is one of "filter", "calc", "sort_ascending", "sort_descending" and "select".',
    // Nobody goes on to read a step that says nothing.
    abort: true,
  });

export const prioritiesSchema = z
  .array(
    z.strictObject({
      priority: z.int().min(-1_000_000).max(1_000_000),
      steps: z.array(stepSchema).min(1).max(selectionStepsMax),
    }),
  )
  .min(1)
  .max(selectionPrioritiesMax);

export type Priorities = z.output<typeof prioritiesSchema>;
export type Pick = 'first' | 'last' | 'random';

export type SelectionStep =
  | { readonly kind: 'filter'; readonly text: string; readonly expression: Expression }
  | { readonly kind: 'calc'; readonly name: string; readonly expression: Expression }
  | {
      readonly kind: 'sort';
      readonly expression: Expression;
      readonly order: 'ascending' | 'descending';
    };

export type SelectionPriority = {
  readonly priority: number;
  readonly steps: readonly SelectionStep[];
  readonly pick: Pick;
};

export type ReadPriorities =
  | { readonly ok: true; readonly priorities: readonly SelectionPriority[] }
  | { readonly ok: false; readonly errors: readonly FieldError[] };

/** In the order in which they are tried; those of one number as they were written. */
export function readPriorities(written: Priorities): ReadPriorities {
  const errors: FieldError[] = [];
  const priorities = written.map(({ priority, steps }, at) => {
    const read: SelectionStep[] = [];
    let pick: Pick | null = null;
    for (const [index, step] of steps.entries()) {
      const pointer = `/${at}/steps/${index}`;
      if (pick !== null) {
        errors.push({ pointer, message: 'After "select" there is nobody left to choose from.' });
      }
      if (step.select !== undefined) pick = step.select;
      else {
        const outcome = readStep(step);
        if ('message' in outcome) {
          errors.push({ pointer: `${pointer}/${outcome.field}`, message: outcome.message });
        } else read.push(outcome);
      }
    }
    return { priority, steps: read, pick: pick ?? 'first' };
  });
  if (errors.length > 0) return { ok: false, errors };
  return { ok: true, priorities: priorities.sort((a, b) => a.priority - b.priority) };
}

type Wrong = { readonly field: string; readonly message: string };

function readStep(step: Priorities[number]['steps'][number]): SelectionStep | Wrong {
  const [field, text = ''] = Object.entries(step).find(([, value]) => value !== undefined)!;
  if (field === 'calc') return readCalc(text);
  const parsed = parseExpression(text);
  if (!parsed.ok) return { field, message: parsed.message };
  const { expression } = parsed;
  if (field === 'filter') return { kind: 'filter', text, expression };
  return {
    kind: 'sort',
    expression,
    order: field === 'sort_ascending' ? 'ascending' : 'descending',
  };
}

const calcPattern = /^\s*(?:`([^`]+)`|([A-Za-z_][A-Za-z0-9_]*))\s*$/;

/** `name = expression`, parted at the first `=` that is not part of another sign. */
function readCalc(text: string): SelectionStep | Wrong {
  const at = text.search(/(?<![=<>!])=(?!=)/);
  const message = 'A calculation is a name, "=" and an expression.';
  if (at < 0) return { field: 'calc', message };
  const name = calcPattern.exec(text.slice(0, at));
  const parsed = parseExpression(text.slice(at + 1));
  if (name === null) return { field: 'calc', message };
  if (!parsed.ok) return { field: 'calc', message: parsed.message };
  return { kind: 'calc', name: (name[1] ?? name[2])!, expression: parsed.expression };
}
