import { ProblemError } from '../../../core/contract/problem.ts';
import type { Route } from '../../../core/contract/routes.ts';
import { type Caller, mayCall } from '../../../core/model/caller.ts';

/**
 * Whether a caller may ask for an operation at all. Every way in comes through here before it reads
 * what is asked: REST with the edge that the path names, the graph with the one of the field.
 */
export function checkAccess(route: Route, caller: Caller | null, edge: string | null): void {
  if (route.access === null) return;
  const verdict = mayCall(caller, route.access, edge);
  if (verdict === 'unknown-caller') {
    const headers = { 'www-authenticate': 'Bearer' };
    throw new ProblemError('unauthenticated', undefined, { headers });
  }
  if (verdict === 'forbidden') throw new ProblemError('forbidden');
}
