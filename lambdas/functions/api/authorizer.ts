import type { APIGatewayRequestAuthorizerEventV2 } from 'aws-lambda';
import { createTokensStore } from '../../../adapters/dynamodb/access/tokens-store.ts';
import { createAdminToken } from '../../../adapters/secrets/admin-token.ts';
import { outageOf } from '../../api/http/outage.ts';
import { bearerOf, identifyCaller } from '../../api/tokens/identify-caller.ts';
import { requiredEnv } from '../../environment.ts';
import { openTable } from '../../table.ts';

/**
 * Says who calls; the functions behind it say what that caller may do. It lets strangers through as
 * nobody, because only the function can answer 401 in the form that every other error has, and the
 * gateway's own refusal would be a 403. Its verdicts are not cached: a token that was revoked a
 * moment ago opens nothing.
 */
const sources = {
  tokens: createTokensStore(openTable()),
  adminToken: createAdminToken(requiredEnv('ADMIN_TOKEN_ARN')),
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
