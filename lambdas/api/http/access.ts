import { ProblemError } from '../../../core/contract/problem.ts';
import type { Route } from '../../../core/contract/routes.ts';
import { type Caller, isBound, mayCall } from '../../../core/model/caller.ts';

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
  if (verdict === 'forbidden' || (caller !== null && isBound(caller) && !isOfJobs(route))) {
    throw new ProblemError('forbidden');
  }
}

/** What a token that is bound to clusters may ask for: jobs, its own, and files that they need. */
function isOfJobs({ path }: Route): boolean {
  const isOfFiles = path.startsWith('/v1/files');
  return path.startsWith('/v1/jobs') || isOfFiles || path === '/v1/plan' || path === '/graphql';
}
