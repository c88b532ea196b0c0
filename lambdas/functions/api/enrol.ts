import { createAuditStore } from '../../../adapters/dynamodb/access/audit-store.ts';
import { createIdempotencyStore } from '../../../adapters/dynamodb/access/idempotency-store.ts';
import { createTokensStore } from '../../../adapters/dynamodb/access/tokens-store.ts';
import { createClustersStore } from '../../../adapters/dynamodb/fleet/cluster-store.ts';
import { createEdgesStore } from '../../../adapters/dynamodb/fleet/edges-store.ts';
import { createPoolsStore } from '../../../adapters/dynamodb/fleet/pools-store.ts';
import { createControlPlane } from '../../../adapters/iot/control-plane.ts';
import { createGraphDocuments } from '../../../adapters/s3/graph-documents.ts';
import { createEdgeRemovals } from '../../../adapters/sqs/edge-removals.ts';
import { enrolEdge } from '../../api/enrolment/enrol-edge.ts';
import { removeEdge } from '../../api/enrolment/remove-edge.ts';
import { serve } from '../../api/http/serve.ts';
import { onTable } from '../../api/http/table-deps.ts';
import { requiredEnv } from '../../environment.ts';

export const enrolOperations = { enrolEdge, removeEdge };

const ports = onTable({
  edges: createEdgesStore,
  clusters: createClustersStore,
  graphs: () => createGraphDocuments(requiredEnv('OUTPUTS_BUCKET')),
  pools: createPoolsStore,
  tokens: createTokensStore,
  audit: createAuditStore,
  idempotency: createIdempotencyStore,
  iot: () =>
    createControlPlane({
      policyName: requiredEnv('EDGE_POLICY'),
      certificatesArn: requiredEnv('CERTIFICATES_ARN'),
      mqttEndpoint: process.env.EDGE_MQTT_ENDPOINT ?? '',
    }),
  removals: () => createEdgeRemovals(requiredEnv('REMOVALS_QUEUE_URL')),
  trustAnchor: () => requiredEnv('EDGE_TRUST_ANCHOR'),
});

/** Edges come and go here. */
export const handler = serve('enrol', enrolOperations, ports);
