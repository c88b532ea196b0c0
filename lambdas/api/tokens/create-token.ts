import { type TokenBody, tokenBodySchema } from '../../../core/contract/fleet-body.ts';
import { invalid, ProblemError } from '../../../core/contract/problem.ts';
import { type Caller, nameOfCaller } from '../../../core/model/caller.ts';
import {
  enrolTtlSecondsDefault,
  enrolTtlSecondsMax,
  enrolUsesMax,
  tokensMax,
} from '../../../core/model/limits.ts';
import { type EdgeName, edgeNameOf, poolOfCell } from '../../../core/model/names.ts';
import type { StoredToken } from '../../../core/ports/tokens.ts';
import { audit } from '../http/audit.ts';
import { type Answer, type Call, callerOf, checkQuery } from '../http/call.ts';
import { onceFor } from '../http/idempotency.ts';
import { readBody } from '../http/json-body.ts';
import { contextOf } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { newSecret } from './new-secret.ts';
import { isWithin, tokenView } from './token-view.ts';

/**
 * `POST /v1/tokens`: a secret is random, shown once and stored as a hash. Who is limited to a pool
 * or queue can only make tokens limited the same way. Enrol tokens are short-lived.
 */
export const createToken = { handle };

type Deps = Pick<Ports, 'tokens' | 'edges' | 'audit' | 'idempotency'>;

async function handle(call: Call, deps: Deps): Promise<Answer> {
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
    await checkTokenRoom(deps);
    const bound = body.edges === null ? null : await boundTo(deps, body.edges, body.pool);
    const made = newSecret(call.nowMs);
    const token: StoredToken = {
      hash: made.hash,
      id: made.id,
      name: body.name,
      scopes: body.scopes,
      pool: bound?.pool ?? body.pool,
      queue: body.queue,
      edge: body.edge,
      edges: bound?.edges ?? null,
      usesLeft: enrols ? (body.uses ?? (body.edge === null ? enrolUsesMax : null)) : null,
      createdAtMs: call.nowMs,
      createdBy: nameOfCaller(caller),
      expiresAtMs: ttlSeconds === null ? null : call.nowMs + ttlSeconds * 1_000,
    };
    await deps.tokens.create(token);
    await audit(contextOf(call), deps, 'token-created', token.id);
    const headers = { location: `/v1/tokens/${token.id}` };
    return { status: 201, headers, body: { ...tokenView(token), secret: made.secret } };
  });
}

function checkLimits(caller: Caller, body: TokenBody): void {
  if (isWithin(caller, body)) return;
  const detail = 'A token that is limited to a pool or queue makes only tokens limited to it, too.';
  throw new ProblemError('forbidden', detail);
}

/** Clusters of one pool, which the token is then limited to: a job is in one pool. */
async function boundTo(
  deps: Pick<Ports, 'edges'>,
  names: readonly string[],
  pool: string | null,
): Promise<{ readonly edges: readonly EdgeName[]; readonly pool: string }> {
  const edges = [...new Set(names)].map(edgeNameOf);
  const pools = new Set<string>();
  for (const edge of edges) {
    const identity = await deps.edges.remains(edge);
    if (identity === null) throw invalid('/edges', `There is no edge "${edge}".`);
    pools.add(poolOfCell(identity.cell));
  }
  const [only] = pools;
  if (only === undefined || pools.size > 1 || (pool ?? only) !== only) {
    throw invalid('/edges', 'The clusters of a token are all in its pool.');
  }
  return { edges, pool: only };
}

export async function checkTokenRoom(deps: Pick<Ports, 'tokens'>): Promise<void> {
  const counted = await deps.tokens.count(tokensMax);
  if (counted >= tokensMax) {
    throw new ProblemError('limit-reached', `There are ${tokensMax} tokens; revoke some first.`);
  }
}
