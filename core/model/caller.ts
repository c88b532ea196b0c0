import { type Scope, scopes } from '../contract/scopes.ts';
import type { CellId, EdgeName } from './names.ts';

/**
 * Who calls, and what a caller may do: decided here and nowhere else.
 *
 * A caller is a token (of a user, a program, or the stack's own administrator), or an edge with its
 * own secret. An edge reaches only its own routes. A token may be limited to one pool or one queue:
 * then it sees and changes nothing of others, and what lies outside looks as if it did not exist.
 */
export type TokenCaller = {
  readonly kind: 'token';
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly pool: string | null;
  readonly queue: string | null;
  /** Set on an enrol token that is bound to one edge name. */
  readonly edge: string | null;
};

export type EdgeCaller = {
  readonly kind: 'edge';
  readonly edge: EdgeName;
  readonly cell: CellId;
  readonly tokenHash: string;
};

export type Caller = TokenCaller | EdgeCaller;

/**
 * What a route asks of its caller: a scope of tokens (or any token), the edge in the path, or
 * either.
 */
export type Access = {
  readonly scope: Scope | 'any' | null;
  /** An edge's own secret opens this route, too. */
  readonly edge: boolean;
};

export type Verdict = 'allowed' | 'forbidden' | 'unknown-caller';

/** `pathEdge` is the edge named by the path, if any: an edge reaches nobody else's routes. */
export function mayCall(caller: Caller | null, access: Access, pathEdge: string | null): Verdict {
  if (caller === null) return 'unknown-caller';
  if (caller.kind === 'edge') {
    if (!access.edge) return 'forbidden';
    return pathEdge === null || pathEdge === caller.edge ? 'allowed' : 'forbidden';
  }
  if (access.scope === null) return 'forbidden';
  if (access.scope === 'any' || caller.scopes.includes(access.scope)) return 'allowed';
  return caller.scopes.includes('fleet:admin') ? 'allowed' : 'forbidden';
}

export function seesPool(caller: Caller, pool: string): boolean {
  return caller.kind === 'token' && (caller.pool === null || caller.pool === pool);
}

export function seesQueue(caller: Caller, queue: string): boolean {
  return caller.kind === 'token' && (caller.queue === null || caller.queue === queue);
}

/** Jobs are limited by pool and by queue; edges have a pool only. */
export function seesJob(caller: Caller, job: { pool: string; queue: string }): boolean {
  return seesPool(caller, job.pool) && seesQueue(caller, job.queue);
}

/** How events and jobs name their author. */
export function nameOfCaller(caller: Caller): string {
  return caller.kind === 'edge' ? `edge:${caller.edge}` : `token:${caller.id}`;
}

export function isScope(value: string): value is Scope {
  return (scopes as readonly string[]).includes(value);
}
