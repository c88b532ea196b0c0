import type { TokenAnswer } from '../../../core/contract/fleet-body.ts';
import { type Caller, seesPool, seesQueue } from '../../../core/model/caller.ts';
import type { StoredToken } from '../../../core/ports/tokens.ts';
import { timeOf, timeOrNull } from '../jobs/view/job-view.ts';

/** Who is limited to a pool or queue makes and sees only tokens that are limited the same way. */
export function isWithin(
  caller: Caller,
  token: { pool: string | null; queue: string | null },
): boolean {
  if (caller.kind === 'edge') return false;
  const inPool = caller.pool === null || (token.pool !== null && seesPool(caller, token.pool));
  const inQueue = caller.queue === null || (token.queue !== null && seesQueue(caller, token.queue));
  return inPool && inQueue;
}

/** Without its secret, which is shown once and stored as a hash. */
export function tokenView(token: StoredToken): TokenAnswer {
  return {
    id: token.id,
    name: token.name,
    scopes: [...token.scopes],
    pool: token.pool,
    queue: token.queue,
    edge: token.edge,
    edges: token.edges === null ? null : [...token.edges],
    usesLeft: token.usesLeft,
    createdAt: timeOf(token.createdAtMs),
    createdBy: token.createdBy,
    expiresAt: timeOrNull(token.expiresAtMs),
  };
}
