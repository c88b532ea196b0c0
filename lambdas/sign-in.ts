import type { SignInSettings } from '../core/sign-in/claims.ts';
import { parseGroupScopes } from '../core/sign-in/groups.ts';

/** Where people sign in, as the template says it; `null` where they do not. */
export function signInOf(env: NodeJS.ProcessEnv): SignInSettings | null {
  const { SIGN_IN_ISSUER: issuer, SIGN_IN_CLIENT: audience } = env;
  if (!issuer || !audience) return null;
  const groups = parseGroupScopes(env.SIGN_IN_GROUPS ?? '');
  return { issuer, audience, groups, groupsClaim: env.SIGN_IN_GROUPS_CLAIM || 'groups' };
}
