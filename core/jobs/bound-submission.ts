import type { JobBody } from '../contract/job-body.ts';
import { ProblemError } from '../contract/problem.ts';
import { type Caller, seesPlace } from '../model/caller.ts';
import { type Refusal, refuse } from './decision.ts';

/**
 * Where a caller may submit. A token that is limited submits only where it sees. One that is bound
 * to clusters submits to them and to nothing else: who names none means all of them, in their pool;
 * any other edge is refused with the same words, whether it is there or not.
 */
export function boundSubmission(
  caller: Caller,
  body: JobBody,
): { readonly kind: 'bound'; readonly body: JobBody } | Refusal {
  const bound = caller.kind === 'token' ? caller.edges : null;
  if (caller.kind !== 'token' || bound === null) {
    return seesPlace(caller, body) ? { kind: 'bound', body } : refusal();
  }
  const pool = body.pool === 'default' ? (caller.pool ?? body.pool) : body.pool;
  const named = body.requires.edges;
  const edges = named.length === 0 ? [...bound] : named;
  const known = new Set<string>(bound);
  const placed: JobBody = { ...body, pool, requires: { ...body.requires, edges } };
  if (!seesPlace(caller, placed) || edges.length === 0) return refusal();
  if (edges.some((edge) => !known.has(edge))) return refusal();
  return { kind: 'bound', body: placed };
}

function refusal(): Refusal {
  return refuse(new ProblemError('forbidden', 'This token may not submit to this place.'));
}
