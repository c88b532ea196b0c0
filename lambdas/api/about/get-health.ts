import type { SignInSettings } from '../../../core/sign-in/claims.ts';
import { eventStreamPath } from '../events/event-filter.ts';
import type { Answer } from '../http/call.ts';
import { version } from '../http/version.ts';

/**
 * `GET /v1/health`: that the API answers, which version does, where people sign in and where
 * answers stream, for a page cannot follow a redirection with its token.
 * Public; touches nothing.
 */
export const getHealth = (settings: SignInSettings | null, eventStream: string | null) => {
  const signIn =
    settings === null ? {} : { signIn: { issuer: settings.issuer, clientId: settings.audience } };
  const endpoints =
    eventStream === null
      ? {}
      : { endpoints: { events: new URL(eventStreamPath, eventStream).href } };
  const body = { ok: true, version, ...signIn, ...endpoints };
  return { handle: async (): Promise<Answer> => ({ status: 200, body }) };
};
