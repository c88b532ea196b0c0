import type { DynamoDBStreamEvent, SQSEvent } from 'aws-lambda';
import { createCellStore } from '../../adapters/dynamodb/fleet/cell-store.ts';
import { createWorkShadows } from '../../adapters/iot/work-shadows.ts';
import { createPassTimers } from '../../adapters/sqs/pass-timers.ts';
import { requiredEnv } from '../environment.ts';
import { type BatchAnswer, batchAnswer, eventHandler } from '../event-handler.ts';
import { createLog } from '../log.ts';
import { openTable } from '../table.ts';
import {
  scheduleCells,
  wakeupsOfStream,
  wakeupsOfTimers,
} from '../workers/schedule/schedule-cells.ts';

const log = createLog({ function: 'schedule' }, Date.now);
const clock = { nowMs: Date.now };
const deps = {
  store: createCellStore(openTable()),
  shadows: createWorkShadows(),
  timers: createPassTimers({ queueUrl: requiredEnv('TIMER_QUEUE_URL'), clock }),
  clock,
  log,
};

export const handler = eventHandler(
  log,
  async (batch: DynamoDBStreamEvent | SQSEvent): Promise<BatchAnswer> => {
    const wakeups = isTimers(batch)
      ? wakeupsOfTimers(batch.Records)
      : wakeupsOfStream(batch.Records);
    return batchAnswer(await scheduleCells(deps, wakeups));
  },
);

function isTimers(batch: DynamoDBStreamEvent | SQSEvent): batch is SQSEvent {
  const [first] = batch.Records;
  return first !== undefined && 'messageId' in first;
}
