import { type Caller, nameOfCaller, seesPool, seesQueue } from '../../../core/caller.ts';
import {
  enrolTtlSecondsDefault,
  enrolTtlSecondsMax,
  enrolUsesMax,
  tokensMax,
} from '../../../core/limits.ts';
import type { StoredToken } from '../../../core/ports/tokens.ts';
import {
  type TokenAnswer,
  type TokenBody,
  tokenBodySchema,
} from '../../../core/wire/fleet-body.ts';
import { invalid, notFound, ProblemError } from '../../../core/wire/problem.ts';
import { newSecret } from '../enrol/new-secret.ts';
import { audit } from '../http/audit.ts';
import { type Answer, type Call, callerOf, checkQuery, paramOf } from '../http/call.ts';
import { encodeCursor, readCursor, readLimit } from '../http/cursor.ts';
import { onceFor } from '../http/idempotency.ts';
import { readBody } from '../http/json-body.ts';
import type { Ports } from '../ports.ts';
import { timeOf, timeOrNull } from '../views/job-view.ts';

/**
 * `POST`, `GET /v1/tokens` and `DELETE /v1/tokens/{id}`. A secret is random, shown once and stored
 * as a hash. Who is limited to a pool or queue can only make and see tokens limited the same way.
 * Enrol tokens are short-lived.
 */
export async function createToken(
  call: Call,
  deps: Pick<Ports, 'tokens' | 'audit' | 'idempotency'>,
): Promise<Answer> {
  checkQuery(call, []);
  const body = readBody(call, tokenBodySchema);
  const caller = callerOf(call);
  checkLimits(caller, body);
  const enrols = body.scopes.includes('edges:enrol');
  const ttlSeconds = body.ttlSeconds ?? (enrols ? enrolTtlSecondsDefault : null);
  if (enrols && ttlSeconds !== null && ttlSeconds > enrolTtlSecondsMax) {
    throw invalid('/ttlSeconds', `An enrol token lives at most ${enrolTtlSecondsMax} seconds.`);
  }
  return onceFor(call, deps.idempotency, async () => {
    await checkRoom(deps);
    const made = newSecret(call.nowMs);
    const token: StoredToken = {
      hash: made.hash,
      id: made.id,
      name: body.name,
      scopes: body.scopes,
      pool: body.pool,
      queue: body.queue,
      edge: body.edge,
      usesLeft: enrols ? (body.uses ?? (body.edge === null ? enrolUsesMax : null)) : null,
      createdAtMs: call.nowMs,
      createdBy: nameOfCaller(caller),
      expiresAtMs: ttlSeconds === null ? null : call.nowMs + ttlSeconds * 1_000,
    };
    await deps.tokens.create(token);
    await audit(call, deps, 'token-created', token.id);
    const headers = { location: `/v1/tokens/${token.id}` };
    return { status: 201, headers, body: { ...tokenView(token), secret: made.secret } };
  });
}

export async function listTokens(call: Call, deps: Pick<Ports, 'tokens'>): Promise<Answer> {
  checkQuery(call, ['limit', 'cursor']);
  const limit = readLimit(call);
  const position = readCursor(call, 'tokens', /^[0-9a-z]{18}$/);
  const rows = await deps.tokens.list(position, limit + 1);
  const page = rows.slice(0, limit);
  const caller = callerOf(call);
  const items = page.filter((it) => isWithin(caller, it)).map(tokenView);
  const last = page.at(-1);
  const more = rows.length > limit && last !== undefined;
  const nextCursor = more ? encodeCursor(call, 'tokens', last.id) : null;
  return { status: 200, body: { items, nextCursor } };
}

export async function revokeToken(
  call: Call,
  deps: Pick<Ports, 'tokens' | 'audit'>,
): Promise<Answer> {
  checkQuery(call, []);
  const id = paramOf(call, 'id', 'such token');
  const token = await deps.tokens.findById(id);
  if (token === null || !isWithin(callerOf(call), token)) throw notFound(`token "${id}"`);
  await deps.tokens.remove(token);
  await audit(call, deps, 'token-revoked', id);
  return { status: 204 };
}

function checkLimits(caller: Caller, body: TokenBody): void {
  if (isWithin(caller, body)) return;
  const detail = 'A token that is limited to a pool or queue makes only tokens limited to it, too.';
  throw new ProblemError('forbidden', detail);
}

function isWithin(caller: Caller, token: { pool: string | null; queue: string | null }): boolean {
  if (caller.kind !== 'token') return false;
  const inPool = caller.pool === null || (token.pool !== null && seesPool(caller, token.pool));
  const inQueue = caller.queue === null || (token.queue !== null && seesQueue(caller, token.queue));
  return inPool && inQueue;
}

async function checkRoom(deps: Pick<Ports, 'tokens'>): Promise<void> {
  const counted = await deps.tokens.count(tokensMax);
  if (counted >= tokensMax) {
    throw new ProblemError('limit-reached', `There are ${tokensMax} tokens; revoke some first.`);
  }
}

function tokenView(token: StoredToken): TokenAnswer {
  return {
    id: token.id,
    name: token.name,
    scopes: [...token.scopes],
    pool: token.pool,
    queue: token.queue,
    edge: token.edge,
    usesLeft: token.usesLeft,
    createdAt: timeOf(token.createdAtMs),
    createdBy: token.createdBy,
    expiresAt: timeOrNull(token.expiresAtMs),
  };
}
