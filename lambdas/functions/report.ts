import type { SQSEvent } from 'aws-lambda';
import { createInventory } from '../../adapters/dynamodb/fleet/edge-inventory.ts';
import { makeThings } from '../../adapters/iot/things.ts';
import { type BatchAnswer, batchAnswer, eventHandler } from '../event-handler.ts';
import { createLog } from '../log.ts';
import { openTable } from '../table.ts';
import { createKnownEdges } from '../workers/report/apply-at-once.ts';
import { readMessages } from '../workers/report/read-messages.ts';
import { storeReports } from '../workers/report/store-reports.ts';
import { shortPassesOn } from '../workers/schedule/table-pass.ts';

const log = createLog({ function: 'report' }, Date.now);
const things = makeThings();
const table = openTable();
const deps = {
  inventory: createInventory(table),
  log,
  applying: { ...shortPassesOn(table, log), edges: createKnownEdges() },
};

export const handler = eventHandler(log, async (batch: SQSEvent): Promise<BatchAnswer> => {
  const { ids, events } = readMessages(batch.Records, (thing) => things.edgeOf(thing), log);
  const outcomes = await storeReports(deps, events);
  return batchAnswer(ids.filter((_, at) => outcomes[at] === 'failed'));
});
