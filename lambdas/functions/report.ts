import type { SQSEvent } from 'aws-lambda';
import { createInventory } from '../../adapters/dynamodb/fleet/edge-inventory.ts';
import { type EdgeEvent, parseEdgeEvent } from '../../core/protocol/edge-event.ts';
import { isRecord } from '../../core/protocol/json.ts';
import { type BatchAnswer, batchAnswer, eventHandler, parseBody } from '../event-handler.ts';
import { createLog } from '../log.ts';
import { openTable } from '../table.ts';
import { storeReports } from '../workers/report/store-reports.ts';

const log = createLog({ function: 'report' }, Date.now);
const deps = {
  inventory: createInventory(openTable()),
  log,
};

export const handler = eventHandler(log, async (batch: SQSEvent): Promise<BatchAnswer> => {
  const ids: string[] = [];
  const events: EdgeEvent[] = [];
  for (const record of batch.Records) {
    const body = parseBody(record.body);
    const event = parseEdgeEvent(body);
    if (event === null) {
      const { kind, edge } = isRecord(body) ? body : {};
      log.warn('a message that is no event of an edge was dropped', { kind, edge });
      continue;
    }
    ids.push(record.messageId);
    events.push(event);
  }
  const outcomes = await storeReports(deps, events);
  return batchAnswer(ids.filter((_, at) => outcomes[at] === 'failed'));
});
