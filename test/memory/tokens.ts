import type { StoredToken, TokensStore } from '../../core/ports/tokens.ts';
import { pageOf, type Stored } from './stored.ts';

/** Credentials in memory; those of edges come and go with their edges. */
export function createMemoryTokens(stored: Stored): TokensStore {
  const tokens = (): StoredToken[] =>
    [...stored.credentials.values()].flatMap((it) => (it.kind === 'token' ? [it.token] : []));
  return {
    async find(hash) {
      return stored.credentials.get(hash) ?? null;
    },
    async create(token) {
      const isKnown = stored.credentials.has(token.hash);
      if (isKnown || tokens().some(({ id }) => id === token.id)) {
        throw new Error(`token ${token.id} was not stored`);
      }
      stored.credentials.set(token.hash, { kind: 'token', token });
    },
    async findById(id) {
      return tokens().find((token) => token.id === id) ?? null;
    },
    async remove({ hash }) {
      stored.credentials.delete(hash);
    },
    async count(max) {
      return Math.min(max, tokens().length);
    },
    async list(afterId, limit) {
      return pageOf(tokens(), (token) => token.id, afterId, limit);
    },
    async spend(hash) {
      const found = stored.credentials.get(hash);
      if (found?.kind !== 'token') return false;
      const { usesLeft } = found.token;
      if (usesLeft === null || usesLeft <= 0) return false;
      const token = { ...found.token, usesLeft: usesLeft - 1 };
      stored.credentials.set(hash, { kind: 'token', token });
      return true;
    },
  };
}
