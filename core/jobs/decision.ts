import type { ProblemError } from '../contract/problem.ts';

/** What may come of the wish of a user besides a change. Nothing is stored then. */
export type Refusal = { readonly kind: 'refused'; readonly problem: ProblemError };

/** It is as it is wanted already. */
export type Unchanged = { readonly kind: 'unchanged' };

export const unchanged: Unchanged = { kind: 'unchanged' };

export function refuse(problem: ProblemError): Refusal {
  return { kind: 'refused', problem };
}
