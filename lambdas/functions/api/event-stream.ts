import type { Writable } from 'node:stream';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { createTokensStore } from '../../../adapters/dynamodb/access/tokens-store.ts';
import { createFleetLog } from '../../../adapters/dynamodb/events/fleet-log.ts';
import { createIssuerKeys } from '../../../adapters/oidc/issuer-keys.ts';
import { createPeople } from '../../../adapters/oidc/people.ts';
import { createAdminToken } from '../../../adapters/secrets/admin-token.ts';
import { sinkOn } from '../../api/events/event-sink.ts';
import { streamFleetEvents } from '../../api/events/stream-fleet-events.ts';
import { pause } from '../../api/live/pause.ts';
import { rememberTokens } from '../../api/tokens/known-tokens.ts';
import { requiredEnv } from '../../environment.ts';
import { createLog } from '../../log.ts';
import { signInOf } from '../../sign-in.ts';
import { openTable } from '../../table.ts';

const signIn = signInOf(process.env);
const table = openTable();
const deps = {
  fleetLog: createFleetLog(table),
  clock: { nowMs: Date.now },
  callers: {
    tokens: rememberTokens(createTokensStore(table), Date.now),
    adminToken: createAdminToken(requiredEnv('ADMIN_TOKEN_ARN')),
    people: signIn === null ? null : createPeople(signIn, createIssuerKeys(signIn.issuer)),
  },
  pause,
  log: createLog({ function: 'api/event-stream' }, Date.now),
};

const withHead = (stream: Writable, head: object): Writable =>
  awslambda.HttpResponseStream.from(stream, { ...head });

/** Behind an address of its own, because the gateway gives whole answers only. */
export const handler = awslambda.streamifyResponse<APIGatewayProxyEventV2>(
  async (event, stream) => {
    await streamFleetEvents(event, sinkOn(stream, withHead, pause), deps);
  },
);
