import { ProblemError } from '../contract/problem.ts';
import type { CellEdge } from '../model/cell.ts';
import { namedValue } from '../protocol/named-values.ts';
import { mismatchOf } from '../scheduler/matching.ts';

/**
 * What no agent of this product runs: a virtual machine. An edge may have something else that does,
 * and says so in a fact; without any such edge a job would wait for ever, and is refused at once.
 */
export type EdgeAsked = Pick<CellEdge, 'name' | 'config' | 'facts'>;

export function runsMachines({ facts }: Pick<EdgeAsked, 'facts'>): boolean {
  return (namedValue(facts?.flat, 'executors.vm') ?? false) !== false;
}

/** `edges`: those of its pool that run virtual machines. */
export function unsupportedRun(
  spec: Parameters<typeof mismatchOf>[1],
  edges: readonly EdgeAsked[],
): ProblemError | null {
  if (!('vm' in spec.run) || edges.some((edge) => mismatchOf(edge, spec) === null)) return null;
  const message =
    edges.length === 0
      ? 'No edge of this pool runs virtual machines; give the program as a container.'
      : 'No edge of this pool that runs virtual machines is of the kind that the job asks for.';
  return new ProblemError('unsupported-run', message, {
    errors: [{ pointer: '/run/vm', message }],
  });
}
