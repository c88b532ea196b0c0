import { type Scope, scopes } from '../contract/scopes.ts';
import { isRecord } from '../protocol/json.ts';
import { type CellId, type EdgeName, parseCellId, parseEdgeName } from './names.ts';

/**
 * Who calls, and what a caller may do: decided here and nowhere else.
 *
 * A caller is a token (of a user, a program, or the stack's own administrator), a person who signed
 * in at the issuer of the deployment, or an edge with its own secret. An edge reaches only its own
 * routes. A token may be limited to one pool or one queue: then it sees and changes nothing of
 * others, and what lies outside looks as if it did not exist.
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
  /** Set on a token that submits to these clusters, and reads what it submitted. */
  readonly edges: readonly EdgeName[] | null;
};

/** Somebody who signed in: `id` is the subject of the issuer, `name` is for people to read. */
export type UserCaller = Omit<TokenCaller, 'kind'> & { readonly kind: 'user' };

export type EdgeCaller = {
  readonly kind: 'edge';
  readonly edge: EdgeName;
  readonly cell: CellId;
  readonly tokenHash: string;
};

export type Caller = TokenCaller | UserCaller | EdgeCaller;

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
  // Anybody may have an account at the issuer: without a group of ours it opens nothing at all.
  if (caller.kind === 'user' && caller.scopes.length === 0) return 'forbidden';
  if (access.scope === 'any' || caller.scopes.includes(access.scope)) return 'allowed';
  return caller.scopes.includes('fleet:admin') ? 'allowed' : 'forbidden';
}

export function seesPool(caller: Caller, pool: string): boolean {
  return caller.kind !== 'edge' && (caller.pool === null || caller.pool === pool);
}

export function seesQueue(caller: Caller, queue: string): boolean {
  return caller.kind !== 'edge' && (caller.queue === null || caller.queue === queue);
}

/** Where jobs are is limited by pool and by queue; edges have a pool only. */
export function seesPlace(caller: Caller, job: { pool: string; queue: string }): boolean {
  return seesPool(caller, job.pool) && seesQueue(caller, job.queue);
}

/** Who is bound to clusters sees what it submitted itself; others what is where they see. */
export function seesJob(
  caller: Caller,
  { spec, createdBy }: { spec: { pool: string; queue: string }; createdBy: string },
): boolean {
  return seesPlace(caller, spec) && (!isBound(caller) || createdBy === nameOfCaller(caller));
}

export function isBound(caller: Caller): boolean {
  return caller.kind === 'token' && caller.edges !== null;
}

/** How events and jobs name their author. */
export function nameOfCaller(caller: Caller): string {
  return caller.kind === 'edge' ? `edge:${caller.edge}` : `${caller.kind}:${caller.id}`;
}

export function isScope(value: string): value is Scope {
  return (scopes as readonly string[]).includes(value);
}

/**
 * A caller as one function hands it to another. `null` for what does not say all that
 * decides what it may do: then it may do nothing.
 */
export function parseCaller(value: unknown): Caller | null {
  if (!isRecord(value)) return null;
  return value.kind === 'edge' ? parseEdgeCaller(value) : parseTokenCaller(value);
}

function parseEdgeCaller({ edge, cell, tokenHash }: Record<string, unknown>): EdgeCaller | null {
  const name = typeof edge === 'string' ? parseEdgeName(edge) : null;
  const id = typeof cell === 'string' ? parseCellId(cell) : null;
  if (name === null || id === null || typeof tokenHash !== 'string') return null;
  return { kind: 'edge', edge: name, cell: id, tokenHash };
}

function parseTokenCaller(value: Record<string, unknown>): TokenCaller | UserCaller | null {
  const { kind, id, name, pool, queue, edge } = value;
  const edges = boundEdges(value.edges);
  const given = Array.isArray(value.scopes) ? value.scopes : [];
  if (kind !== 'token' && kind !== 'user') return null;
  if (typeof id !== 'string' || typeof name !== 'string') return null;
  if (!isLimit(pool) || !isLimit(queue) || !isLimit(edge) || edges === undefined) return null;
  return { kind, id, name, scopes: given.filter(isScope), pool, queue, edge, edges };
}

/** `undefined` for what is no list of edges. An authorizer of before says nothing of it. */
function boundEdges(value: unknown): readonly EdgeName[] | null | undefined {
  if (value === undefined || value === null) return null;
  if (!Array.isArray(value)) return undefined;
  const names = value.map((it) => (typeof it === 'string' ? parseEdgeName(it) : null));
  return names.includes(null) ? undefined : names.filter((it) => it !== null);
}

/** No limit is said as such; nothing said is no answer. */
function isLimit(value: unknown): value is string | null {
  return value === null || typeof value === 'string';
}
