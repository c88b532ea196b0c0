import type { DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { createEndNotices } from '../../adapters/dynamodb/events/end-notices-store.ts';
import { createFleetLog } from '../../adapters/dynamodb/events/fleet-log.ts';
import { createRollupStore } from '../../adapters/dynamodb/jobs/rollup-store.ts';
import { jobOfPartition } from '../../adapters/dynamodb/keys.ts';
import { jobRows } from '../../adapters/dynamodb/schema.ts';
import { createEventWakes } from '../../adapters/sqs/event-wakes.ts';
import type { JobId } from '../../core/model/names.ts';
import { requiredEnv } from '../environment.ts';
import { type BatchAnswer, batchAnswer, eventHandler } from '../event-handler.ts';
import { createLog } from '../log.ts';
import { openTable } from '../table.ts';
import { endsToSend, eventsOfStream } from '../workers/events/stream-events.ts';
import { rollUpJobs } from '../workers/rollup/roll-up-jobs.ts';

const log = createLog({ function: 'rollup' }, Date.now);
const table = openTable();
const fleetLog = createFleetLog(table);
const endNotices = createEndNotices(table);
const wakes = createEventWakes(requiredEnv('EVENT_WAKES_URL'));
const deps = {
  store: createRollupStore(table),
  clock: { nowMs: Date.now },
  log,
};

/** The job whose counts a record is; others only tell what happened. */
function countedIn({ dynamodb }: DynamoDBRecord): JobId | null {
  const { pk, sk } = dynamodb?.Keys ?? {};
  return sk?.S?.startsWith(jobRows.cell) ? jobOfPartition(pk?.S ?? '') : null;
}

export const handler = eventHandler(
  log,
  async (batch: DynamoDBStreamEvent): Promise<BatchAnswer> => {
    const firstRecord = new Map<JobId, string>();
    for (const record of batch.Records) {
      const job = countedIn(record);
      const sequence = record.dynamodb?.SequenceNumber;
      if (job === null || sequence === undefined || firstRecord.has(job)) continue;
      firstRecord.set(job, sequence);
    }
    // First: a batch that comes again appends them again, under the same ids, and loses none.
    const events = eventsOfStream(batch.Records);
    if (events.length > 0) {
      await fleetLog.append(events, Date.now());
      for (const event of endsToSend(batch.Records)) {
        if (event.job !== null) await endNotices.add(event.job, event, Date.now());
      }
      await wakes.wake();
    }
    const failed = await rollUpJobs(deps, firstRecord.keys());
    return batchAnswer(failed.flatMap((job) => firstRecord.get(job) ?? []));
  },
);
