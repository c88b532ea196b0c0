import type { TokenAnswer } from '../../core/contract/fleet-body.ts';

/**
 * The tokens of the made-up world: made with a secret that is answered once, listed without,
 * revoked at once.
 */
export type FakeTokens = {
  readonly kept: TokenAnswer[];
  answer(
    method: string | undefined,
    id: string | undefined,
    body: Record<string, unknown> | null,
  ): { readonly status: number; readonly body: unknown } | null;
};

export function makeTokens(): FakeTokens {
  const kept: TokenAnswer[] = [];
  let made = 0;
  return {
    kept,
    answer(method, id, body) {
      if (id === undefined && method === 'GET') {
        return { status: 200, body: { items: kept, nextCursor: null } };
      }
      if (id === undefined && method === 'POST') {
        made += 1;
        const token: TokenAnswer = {
          id: `token-${made}`,
          name: String(body?.name),
          scopes: body?.scopes as TokenAnswer['scopes'],
          pool: typeof body?.pool === 'string' ? body.pool : null,
          queue: null,
          edge: null,
          usesLeft: typeof body?.uses === 'number' ? body.uses : null,
          createdAt: new Date().toISOString(),
          createdBy: 'token:admin',
          expiresAt: null,
        };
        kept.unshift(token);
        return { status: 201, body: { ...token, secret: `ew_secret-${made}` } };
      }
      const at = kept.findIndex((token) => token.id === id);
      if (method !== 'DELETE' || at === -1) return null;
      kept.splice(at, 1);
      return { status: 204, body: null };
    },
  };
}
