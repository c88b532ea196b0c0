import { ProblemError } from '../../../core/contract/problem.ts';
import type { Route } from '../../../core/contract/routes.ts';
import type { Caller } from '../../../core/model/caller.ts';
import type { Clock } from '../../../core/ports/timers.ts';
import { checkAccess } from '../http/access.ts';
import { type CallerSources, identifyCaller } from './identify-caller.ts';

export type Admission = { readonly clock: Clock; readonly callers: CallerSources };

/** Who holds the token and may ask for the route, where no authorizer stands before it. */
export async function admit(
  bearer: string | null,
  route: Route,
  { clock, callers }: Admission,
): Promise<Caller> {
  const caller = await identifyCaller(bearer, clock.nowMs(), callers);
  checkAccess(route, caller, null);
  if (caller === null) throw new ProblemError('unauthenticated');
  return caller;
}
