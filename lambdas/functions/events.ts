import type { SQSEvent } from 'aws-lambda';
import { createEndNotices } from '../../adapters/dynamodb/events/end-notices-store.ts';
import { createFleetLog } from '../../adapters/dynamodb/events/fleet-log.ts';
import { createWebhooksStore } from '../../adapters/dynamodb/events/webhooks-store.ts';
import { createJobsStore } from '../../adapters/dynamodb/jobs/jobs-store.ts';
import { createEventBus } from '../../adapters/events/event-bus.ts';
import { requiredEnv } from '../environment.ts';
import { eventHandler } from '../event-handler.ts';
import { createLog } from '../log.ts';
import { openTable } from '../table.ts';
import { deliverWebhooks } from '../workers/webhooks/deliver-webhooks.ts';
import { fillBus } from '../workers/webhooks/fill-bus.ts';
import { notifyEnds } from '../workers/webhooks/notify-ends.ts';
import { makePostEvent } from '../workers/webhooks/post-event.ts';

const log = createLog({ function: 'events' }, Date.now);
const table = openTable();
const deps = {
  webhooks: createWebhooksStore(table),
  endNotices: createEndNotices(table),
  jobs: createJobsStore(table),
  fleetLog: createFleetLog(table),
  post: makePostEvent({ allowsLoopback: requiredEnv('LOOPBACK_RECEIVERS') === 'allowed' }),
  bus: createEventBus(requiredEnv('EVENT_BUS')),
  clock: { nowMs: Date.now },
  log,
};

/** When something was appended to the log, and once a minute for who did not take it then. */
export const handler = eventHandler(log, async (_event: SQSEvent | object): Promise<void> => {
  await Promise.all([deliverWebhooks(deps), notifyEnds(deps), fillBus(deps)]);
});
