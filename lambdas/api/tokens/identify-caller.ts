import { createHash, timingSafeEqual } from 'node:crypto';
import { scopes } from '../../../core/contract/scopes.ts';
import type { Caller } from '../../../core/model/caller.ts';
import type { People } from '../../../core/ports/people.ts';
import type { AdminToken, TokensStore } from '../../../core/ports/tokens.ts';

/**
 * Finds out who holds a bearer token. `null`: nobody we know. The stack's admin token is compared
 * in constant time; all others are looked up by their hash, so that a guess reveals nothing by the
 * time it takes; what an issuer signed is judged by its keys.
 */
export type CallerSources = {
  readonly tokens: Pick<TokensStore, 'find'>;
  readonly adminToken: AdminToken;
  /** Who signed in at the issuer of this deployment; `null` where there is none. */
  readonly people: People | null;
};

/** As long as the token of an issuer; a secret of ours has some seventy characters. */
const bearerPattern = /^Bearer +([A-Za-z0-9._~+/-]{16,8192}=*) *$/i;

/** Three parts between two dots, the first of them a JSON object: none of our secrets has a dot. */
const signedPattern = /^eyJ[\w-]*\.[\w-]+\.[\w-]*$/;

export function bearerOf(header: string | undefined): string | null {
  return bearerPattern.exec(header ?? '')?.[1] ?? null;
}

export function hashOfSecret(secret: string): string {
  return createHash('sha256').update(secret, 'utf8').digest('hex');
}

export async function identifyCaller(
  bearer: string | null,
  nowMs: number,
  sources: CallerSources,
): Promise<Caller | null> {
  if (bearer === null) return null;
  if (signedPattern.test(bearer)) return (await sources.people?.find(bearer, nowMs)) ?? null;
  const hash = hashOfSecret(bearer);
  if (isEqualHash(hash, await sources.adminToken.read(nowMs))) return adminCaller;
  const found = await sources.tokens.find(hash);
  if (found === null) return null;
  if (found.kind === 'edge') {
    return { kind: 'edge', edge: found.edge, cell: found.cell, tokenHash: hash };
  }
  const { token } = found;
  if (token.expiresAtMs !== null && token.expiresAtMs <= nowMs) return null;
  return {
    kind: 'token',
    id: token.id,
    name: token.name,
    scopes: token.scopes,
    pool: token.pool,
    queue: token.queue,
    edge: token.edge,
    edges: token.edges,
  };
}

const adminCaller: Caller = {
  kind: 'token',
  id: 'admin',
  name: 'admin',
  scopes,
  pool: null,
  queue: null,
  edge: null,
  edges: null,
};

function isEqualHash(hash: string, secret: string | null): boolean {
  if (secret === null || secret === '') return false;
  return timingSafeEqual(Buffer.from(hash, 'hex'), Buffer.from(hashOfSecret(secret), 'hex'));
}
