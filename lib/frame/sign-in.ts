/**
 * An issuer of OpenID Connect, and what its people may do here. In it Edgewise is a public client,
 * with the redirect addresses `https://DASHBOARD/sign-in` and, for the command line,
 * `http://127.0.0.1/signed-in` with any port.
 */
export type SignIn = {
  /** Exactly as it spells itself: `https://…`. */
  readonly issuer: string;
  /** The client, which is the audience of the tokens. */
  readonly clientId: string;
  /** What members of groups may do: `{ operators: ['jobs:read', 'jobs:write'] }`. */
  readonly groups: Readonly<Record<string, readonly string[]>> | string;
  /** The claim of tokens that has the groups; `groups` by default. */
  readonly groupsClaim?: string;
  /** The origin of its token endpoint, where that is not its own. */
  readonly tokenOrigin?: string;
};

/** Who is let in says the authorizer; where to sign in, the function that anybody may ask. */
export function signInVariables(signIn: SignIn | null): Record<string, string> {
  if (signIn === null) return {};
  const { groups } = signIn;
  const lines = typeof groups === 'string' ? [groups] : Object.entries(groups).map(groupLine);
  return {
    SIGN_IN_ISSUER: signIn.issuer,
    SIGN_IN_CLIENT: signIn.clientId,
    SIGN_IN_GROUPS: lines.join(';'),
    SIGN_IN_GROUPS_CLAIM: signIn.groupsClaim ?? 'groups',
  };
}

const groupLine = ([group, scopes]: [string, readonly string[]]): string =>
  `${group}=${scopes.join(',')}`;
