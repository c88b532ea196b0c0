import { submitTokenBodySchema } from '../../../core/contract/clusters/cluster-body.ts';
import { ProblemError } from '../../../core/contract/problem.ts';
import { submitTokensMax } from '../../../core/graph/limits.ts';
import { nameOfCaller } from '../../../core/model/caller.ts';
import type { EdgeName } from '../../../core/model/names.ts';
import type { SubmitToken } from '../../../core/ports/clusters.ts';
import type { StoredToken } from '../../../core/ports/tokens.ts';
import { audit } from '../http/audit.ts';
import { checkQuery, edgeOfPath } from '../http/call.ts';
import { onceByKey } from '../http/idempotency.ts';
import { readBody } from '../http/json-body.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { checkTokenRoom } from '../tokens/create-token.ts';
import { type NewSecret, newSecret } from '../tokens/new-secret.ts';
import { tokenView } from '../tokens/token-view.ts';
import { changeCluster } from './change-cluster.ts';

/**
 * `POST /v1/edges/{name}/submit-tokens`: one more token by which others submit to this cluster. It
 * goes with the cluster, or is revoked like any other.
 */
export const createSubmitToken = onceByKey(
  defineOperation({
    name: 'createSubmitToken',
    read: (call) => {
      checkQuery(call, []);
      return { name: edgeOfPath(call), body: readBody(call, submitTokenBodySchema) };
    },
    run: async ({ name, body }, context, deps: Deps) => {
      const { nowMs, caller } = context;
      await checkTokenRoom(deps);
      const made = newSecret(nowMs);
      const token = await changeCluster(name, context, deps, async (before) => {
        const live = await living(deps, before.submitTokens);
        if (live.length >= submitTokensMax) {
          const detail = `The cluster has ${submitTokensMax} submit tokens; revoke some first.`;
          throw new ProblemError('limit-reached', detail);
        }
        const place = { edge: name, pool: before.pool, createdBy: nameOfCaller(caller) };
        const outcome = submitToken(made, place, { ...body, nowMs });
        const submitTokens = [...live, { id: made.id, hash: made.hash }];
        return { next: { ...before, submitTokens }, digest: 'as it is', outcome };
      });
      await deps.tokens.create(token);
      await checkStillThere(deps, name, token);
      await audit(context, deps, 'submit-token-created', name);
      return { ...tokenView(token), secret: made.secret };
    },
    answer: (body) => ({ status: 201, headers: { location: `/v1/tokens/${body.id}` }, body }),
  }),
);

type Deps = Pick<Ports, 'edges' | 'clusters' | 'tokens' | 'audit' | 'idempotency'>;

/** Those that were not revoked; one that was noted and never stored counts as that. */
async function living(
  { tokens }: Pick<Ports, 'tokens'>,
  noted: readonly SubmitToken[],
): Promise<readonly SubmitToken[]> {
  const found = await Promise.all(noted.map(({ hash }) => tokens.find(hash)));
  return noted.filter((_, at) => found[at] !== null);
}

/** A cluster that went in between took the tokens that it knew, and not this one. */
async function checkStillThere(
  deps: Pick<Ports, 'clusters' | 'tokens'>,
  name: EdgeName,
  token: StoredToken,
): Promise<void> {
  const now = await deps.clusters.find(name);
  if (now?.submitTokens.some(({ id }) => id === token.id)) return;
  await deps.tokens.remove(token);
  throw new ProblemError('conflict', `The edge "${name}" is being removed.`);
}

export function submitToken(
  { id, hash }: Pick<NewSecret, 'id' | 'hash'>,
  place: { readonly edge: EdgeName; readonly pool: string; readonly createdBy: string },
  asked: { readonly name: string; readonly ttlSeconds: number | null; readonly nowMs: number },
): StoredToken {
  const { edge, pool, createdBy } = place;
  const { name, ttlSeconds, nowMs } = asked;
  return {
    hash,
    id,
    name,
    scopes: ['jobs:read', 'jobs:write'],
    pool,
    queue: null,
    edge: null,
    edges: [edge],
    usesLeft: null,
    createdAtMs: nowMs,
    createdBy,
    expiresAtMs: ttlSeconds === null ? null : nowMs + ttlSeconds * 1_000,
  };
}
