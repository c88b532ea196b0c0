import { knownTokensMax, tokenKeptMs } from '../../../core/model/limits.ts';
import type { Credential, TokensStore } from '../../../core/ports/tokens.ts';

/**
 * Remembers for a few seconds whose a secret is: an agent that polls, a dashboard and a program
 * that submits job after job cost one read in that time instead of one a call. Strangers are not
 * remembered, so a token opens at once what it may; one that was revoked opens for `tokenKeptMs` at
 * most, in those instances that had just let it in.
 */
export function rememberTokens(
  tokens: Pick<TokensStore, 'find'>,
  now: () => number,
): Pick<TokensStore, 'find'> {
  const known = new Map<string, { readonly credential: Credential; readonly atMs: number }>();
  return {
    async find(hash) {
      const nowMs = now();
      const before = known.get(hash);
      if (before !== undefined && nowMs - before.atMs < tokenKeptMs) return before.credential;
      known.delete(hash);
      const credential = await tokens.find(hash);
      if (credential === null) return null;
      if (known.size >= knownTokensMax) known.clear();
      known.set(hash, { credential, atMs: nowMs });
      return credential;
    },
  };
}
