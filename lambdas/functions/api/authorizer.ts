import type { APIGatewayRequestAuthorizerEventV2 } from 'aws-lambda';
import { createTokensStore } from '../../../adapters/dynamodb/access/tokens-store.ts';
import { createIssuerKeys } from '../../../adapters/oidc/issuer-keys.ts';
import { createPeople } from '../../../adapters/oidc/people.ts';
import { createAdminToken } from '../../../adapters/secrets/admin-token.ts';
import { outageOf } from '../../api/http/outage.ts';
import { bearerOf, identifyCaller } from '../../api/tokens/identify-caller.ts';
import { rememberTokens } from '../../api/tokens/known-tokens.ts';
import { requiredEnv } from '../../environment.ts';
import { signInOf } from '../../sign-in.ts';
import { openTable } from '../../table.ts';

/**
 * Says who calls; the functions behind it say what that caller may do. It lets strangers through as
 * nobody, because only the function can answer 401 in the form that every other error has, and the
 * gateway's own refusal would be a 403. The gateway does not keep its verdicts: it would answer
 * those who send no token itself.
 */
const signIn = signInOf(process.env);
const sources = {
  tokens: rememberTokens(createTokensStore(openTable()), Date.now),
  adminToken: createAdminToken(requiredEnv('ADMIN_TOKEN_ARN')),
  people: signIn === null ? null : createPeople(signIn, createIssuerKeys(signIn.issuer)),
};

type Verdict = { readonly isAuthorized: boolean; readonly context: { readonly caller: string } };

export async function handler(event: APIGatewayRequestAuthorizerEventV2): Promise<Verdict> {
  const header = event.headers?.authorization ?? event.headers?.Authorization;
  try {
    const caller = await identifyCaller(bearerOf(header), Date.now(), sources);
    return verdict(caller === null ? '' : JSON.stringify(caller));
  } catch (error) {
    const shown = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const { requestId } = event.requestContext;
    console.error(JSON.stringify({ level: 'error', requestId, error: shown }));
    return verdict(outageOf(error).code === 'too-many-requests' ? 'busy' : 'unavailable');
  }
}

const verdict = (caller: string): Verdict => ({ isAuthorized: true, context: { caller } });
