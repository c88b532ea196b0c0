import type { DynamoDBStreamEvent, SQSEvent } from 'aws-lambda';
import { createCellStore } from '../../adapters/dynamodb/fleet/adopting-cells.ts';
import { type BatchAnswer, batchAnswer, eventHandler } from '../event-handler.ts';
import { createLog } from '../log.ts';
import { openTable } from '../table.ts';
import {
  duesOfTimers,
  scheduleCells,
  wakeupsOfStream,
  wakeupsOfTimers,
} from '../workers/schedule/schedule-cells.ts';
import { passesOn } from '../workers/schedule/table-pass.ts';

const log = createLog({ function: 'schedule' }, Date.now);
const table = openTable();
/** A cell that was removed while a job was on its way to it is made again here. */
const deps = { ...passesOn(table, log), store: createCellStore(table) };

export const handler = eventHandler(
  log,
  async (batch: DynamoDBStreamEvent | SQSEvent): Promise<BatchAnswer> => {
    if (!isTimers(batch)) {
      return batchAnswer(await scheduleCells(deps, wakeupsOfStream(batch.Records)));
    }
    const { Records: timers } = batch;
    const wakeups = wakeupsOfTimers(timers, log);
    return batchAnswer(await scheduleCells(deps, wakeups, duesOfTimers(timers)));
  },
);

function isTimers(batch: DynamoDBStreamEvent | SQSEvent): batch is SQSEvent {
  const [first] = batch.Records;
  return first !== undefined && 'messageId' in first;
}
