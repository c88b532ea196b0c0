import type { People } from '../../core/ports/people.ts';
import { judgeClaims, type SignInSettings } from '../../core/sign-in/claims.ts';
import type { IssuerKeys } from './issuer-keys.ts';
import { isSignedBy, parseSignedToken } from './signed-token.ts';

/** Who signed in at the issuer: nothing that a token says is looked at before its signature is. */
export function createPeople(settings: SignInSettings, keys: IssuerKeys): People {
  return {
    async find(text, nowMs) {
      const token = parseSignedToken(text);
      // Tokens of other issuers come to nobody's keys: only ours is asked for them.
      if (token === null || token.claims.iss !== settings.issuer) return null;
      const key = await keys.find(token.keyId, nowMs);
      if (key === null || !isSignedBy(token, key)) return null;
      return judgeClaims(token.claims, settings, nowMs);
    },
  };
}
