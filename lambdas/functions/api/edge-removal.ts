import type { SQSEvent } from 'aws-lambda';
import { createClustersStore } from '../../../adapters/dynamodb/fleet/cluster-store.ts';
import { createEdgesStore } from '../../../adapters/dynamodb/fleet/edges-store.ts';
import { createControlPlane } from '../../../adapters/iot/control-plane.ts';
import { createGraphDocuments } from '../../../adapters/s3/graph-documents.ts';
import { createEdgeRemovals } from '../../../adapters/sqs/edge-removals.ts';
import { parseEdgeName } from '../../../core/model/names.ts';
import { isRecord } from '../../../core/protocol/json.ts';
import { requiredEnv } from '../../environment.ts';
import { type BatchAnswer, batchAnswer, eventHandler, parseBody } from '../../event-handler.ts';
import { createLog } from '../../log.ts';
import { openTable } from '../../table.ts';
import { continueRemoval, type RemovalDeps } from '../../workers/edge-removal/continue-removal.ts';

const log = createLog({ function: 'edge-removal' }, Date.now);
const table = openTable();
const deps: RemovalDeps = {
  edges: createEdgesStore(table),
  clusters: createClustersStore(table),
  graphs: createGraphDocuments(requiredEnv('OUTPUTS_BUCKET')),
  iot: createControlPlane({
    policyName: requiredEnv('EDGE_POLICY'),
    certificatesArn: requiredEnv('CERTIFICATES_ARN'),
  }),
  removals: createEdgeRemovals(requiredEnv('REMOVALS_QUEUE_URL')),
};

export const handler = eventHandler(log, async (batch: SQSEvent): Promise<BatchAnswer> => {
  const failed: string[] = [];
  for (const record of batch.Records) {
    const body = parseBody(record.body);
    if (!isRecord(body) || typeof body.edge !== 'string') continue;
    const edge = parseEdgeName(body.edge);
    if (edge === null) continue;
    const tries = typeof body.tries === 'number' ? body.tries : 0;
    try {
      await continueRemoval(deps, { edge, tries }, Date.now());
    } catch (error) {
      log.error('an edge could not be removed', { edge, error });
      failed.push(record.messageId);
    }
  }
  return batchAnswer(failed);
});
