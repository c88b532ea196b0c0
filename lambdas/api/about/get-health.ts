import type { SignInSettings } from '../../../core/sign-in/claims.ts';
import type { Answer } from '../http/call.ts';
import { version } from '../http/version.ts';

/**
 * `GET /v1/health`: that the API answers, which version does, and where people sign in. Public;
 * touches nothing.
 */
export const getHealth = (settings: SignInSettings | null) => {
  const signIn =
    settings === null ? {} : { signIn: { issuer: settings.issuer, clientId: settings.audience } };
  const body = { ok: true, version, ...signIn };
  return { handle: async (): Promise<Answer> => ({ status: 200, body }) };
};
