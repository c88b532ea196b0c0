import type { DynamoDBRecord, SQSRecord } from 'aws-lambda';
import { cellOfPartition } from '../../../adapters/dynamodb/keys.ts';
import { parkedCellMs, passesAtOnce } from '../../../core/model/limits.ts';
import { type CellId, parseCellId } from '../../../core/model/names.ts';
import { isRecord } from '../../../core/protocol/json.ts';
import { parseBody } from '../../event-handler.ts';
import { forEachLimited } from '../../for-each-limited.ts';
import { type PassDeps, runPass } from './run-pass.ts';

/**
 * Which cells a batch names, with the record that Lambda shall start from again when the cell's
 * pass fails.
 */
export type Wakeups = ReadonlyMap<CellId, readonly string[]>;

export function wakeupsOfStream(records: readonly DynamoDBRecord[]): Wakeups {
  const wakeups = new Map<CellId, string[]>();
  for (const record of records) {
    const pk = record.dynamodb?.Keys?.pk?.S;
    const cell = pk === undefined ? null : cellOfPartition(pk);
    const sequence = record.dynamodb?.SequenceNumber;
    // One record is enough: from the first on, the batch comes back whole.
    if (cell !== null && sequence !== undefined && !wakeups.has(cell)) {
      wakeups.set(cell, [sequence]);
    }
  }
  return wakeups;
}

export function wakeupsOfTimers(
  records: readonly Pick<SQSRecord, 'messageId' | 'body'>[],
): Wakeups {
  const wakeups = new Map<CellId, string[]>();
  for (const record of records) {
    const body = parseBody(record.body);
    if (!isRecord(body) || typeof body.cell !== 'string') continue;
    const cell = parseCellId(body.cell);
    if (cell === null) continue;
    wakeups.set(cell, [...(wakeups.get(cell) ?? []), record.messageId]);
  }
  return wakeups;
}

/**
 * One pass per cell, however many records woke it; answers the records whose pass failed.
 *
 * A cell that fails is parked: a timer looks at it again. Its records would come back with all that
 * follow them in the stream's shard, and hold up cells that have nothing to do with it. Only when
 * not even the timer could be set do they come back.
 */
export async function scheduleCells(deps: PassDeps, wakeups: Wakeups): Promise<string[]> {
  const failed: string[] = [];
  await forEachLimited([...wakeups], passesAtOnce, async ([cell, records]) => {
    try {
      await runPass(deps, cell);
    } catch (error) {
      deps.log.error('the pass failed', { cell, error });
      deps.log.metric('CellParked', 1, { cell });
      if (!(await isParked(deps, cell))) failed.push(...records);
    }
  });
  return failed;
}

async function isParked({ timers, clock, log }: PassDeps, cell: CellId): Promise<boolean> {
  try {
    await timers.lookAgain(cell, clock.nowMs() + parkedCellMs);
    return true;
  } catch (error) {
    log.error('the cell could not be parked', { cell, error });
    return false;
  }
}
