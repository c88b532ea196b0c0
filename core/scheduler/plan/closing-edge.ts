import type { EdgeName } from '../../model/names.ts';
import { equal, isEmpty, unionAll } from '../../model/ranges.ts';
import type { JobDraft } from '../pass/draft.ts';

/**
 * The edge whose report was the last of a job that is done: all that it was ever given is done, and
 * nothing else changes of its execution. That lies in the status, which is written anyway; `null`
 * when several edges come to their end together.
 */
export function closingEdge({ leases }: JobDraft): EdgeName | null {
  const [last, ...others] = leases.filter(({ touched }) => touched);
  if (last === undefined || others.length > 0 || last.before === null) return null;
  const { before, doneHere, deadHere } = last;
  const given = unionAll([before.ranges, before.doneHere, before.deadHere]);
  return isEmpty(deadHere) && equal(given, doneHere) ? last.edge.name : null;
}
