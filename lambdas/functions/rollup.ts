import type { DynamoDBStreamEvent } from 'aws-lambda';
import { createRollupStore } from '../../adapters/dynamodb/jobs/rollup-store.ts';
import { jobOfPartition } from '../../adapters/dynamodb/keys.ts';
import type { JobId } from '../../core/model/names.ts';
import { type BatchAnswer, batchAnswer, eventHandler } from '../event-handler.ts';
import { createLog } from '../log.ts';
import { openTable } from '../table.ts';
import { rollUpJobs } from '../workers/rollup/roll-up-jobs.ts';

const log = createLog({ function: 'rollup' }, Date.now);
const deps = {
  store: createRollupStore(openTable()),
  clock: { nowMs: Date.now },
  log,
};

export const handler = eventHandler(
  log,
  async (batch: DynamoDBStreamEvent): Promise<BatchAnswer> => {
    const firstRecord = new Map<JobId, string>();
    for (const record of batch.Records) {
      const job = jobOfPartition(record.dynamodb?.Keys?.pk?.S ?? '');
      const sequence = record.dynamodb?.SequenceNumber;
      if (job === null || sequence === undefined || firstRecord.has(job)) continue;
      firstRecord.set(job, sequence);
    }
    const failed = await rollUpJobs(deps, firstRecord.keys());
    return batchAnswer(failed.flatMap((job) => firstRecord.get(job) ?? []));
  },
);
