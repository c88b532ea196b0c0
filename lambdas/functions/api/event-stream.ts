import { randomBytes } from 'node:crypto';
import type { Writable } from 'node:stream';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { createIdempotencyStore } from '../../../adapters/dynamodb/access/idempotency-store.ts';
import { createTokensStore } from '../../../adapters/dynamodb/access/tokens-store.ts';
import { createFleetLog } from '../../../adapters/dynamodb/events/fleet-log.ts';
import { createCellStore } from '../../../adapters/dynamodb/fleet/adopting-cells.ts';
import { createInventory } from '../../../adapters/dynamodb/fleet/edge-inventory.ts';
import { createEdgesStore } from '../../../adapters/dynamodb/fleet/edges-store.ts';
import { createPoolCells } from '../../../adapters/dynamodb/fleet/pool-cells.ts';
import { createPoolsStore } from '../../../adapters/dynamodb/fleet/pools-store.ts';
import { createJobStatistics } from '../../../adapters/dynamodb/jobs/job-stats.ts';
import { createJobsStore } from '../../../adapters/dynamodb/jobs/jobs-store.ts';
import { createSubmissionsStore } from '../../../adapters/dynamodb/jobs/submissions-store.ts';
import { createIssuerKeys } from '../../../adapters/oidc/issuer-keys.ts';
import { createPeople } from '../../../adapters/oidc/people.ts';
import { createAdminToken } from '../../../adapters/secrets/admin-token.ts';
import { sinkOn } from '../../api/events/event-sink.ts';
import { streamFleetEvents } from '../../api/events/stream-fleet-events.ts';
import { graphPath, streamGraph } from '../../api/graphql/stream-graph.ts';
import { pause } from '../../api/live/pause.ts';
import { rememberTokens } from '../../api/tokens/known-tokens.ts';
import { requiredEnv } from '../../environment.ts';
import { createLog } from '../../log.ts';
import { signInOf } from '../../sign-in.ts';
import { openTable } from '../../table.ts';

const signIn = signInOf(process.env);
const table = openTable();
const pools = createPoolsStore(table);
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
const graphDeps = {
  ...deps,
  jobs: createJobsStore(table),
  stats: createJobStatistics(table),
  cellStore: createCellStore(table),
  pools,
  cells: createPoolCells(pools),
  edges: createEdgesStore(table),
  submissions: createSubmissionsStore(table),
  inventory: createInventory(table),
  idempotency: createIdempotencyStore(table),
  random: { bytes: randomBytes },
};

const withHead = (stream: Writable, head: object): Writable =>
  awslambda.HttpResponseStream.from(stream, { ...head });

/** Behind an address of its own, because the gateway gives whole answers only. */
export const handler = awslambda.streamifyResponse<APIGatewayProxyEventV2>(
  async (event, stream) => {
    const sink = sinkOn(stream, withHead, pause);
    if (event.rawPath === graphPath) await streamGraph(event, sink, graphDeps);
    else await streamFleetEvents(event, sink, deps);
  },
);
