import type { DynamoDBRecord, SQSRecord } from 'aws-lambda';
import { cellOfPartition } from '../../../adapters/dynamodb/keys.ts';
import { passMark } from '../../../adapters/dynamodb/schema.ts';
import { parkedCellMs, passesAtOnce } from '../../../core/model/limits.ts';
import { type CellId, parseCellId } from '../../../core/model/names.ts';
import { isRecord } from '../../../core/protocol/json.ts';
import { parseBody } from '../../event-handler.ts';
import { forEachLimited } from '../../for-each-limited.ts';
import type { Log } from '../../log.ts';
import { type PassDeps, runPass } from './run-pass.ts';

/**
 * Which cells a batch names, with the record that Lambda shall start from again when the cell's
 * pass fails.
 */
export type Wakeups = ReadonlyMap<CellId, readonly string[]>;

/** A row with the mark was written together with the pass over it, and wakes no other. */
export function wakeupsOfStream(records: readonly DynamoDBRecord[]): Wakeups {
  const wakeups = new Map<CellId, string[]>();
  for (const record of records) {
    const pk = record.dynamodb?.Keys?.pk?.S;
    const cell = pk === undefined ? null : cellOfPartition(pk);
    const sequence = record.dynamodb?.SequenceNumber;
    if (record.dynamodb?.NewImage?.[passMark]?.BOOL === true) continue;
    // One record is enough: from the first on, the batch comes back whole.
    if (cell !== null && sequence !== undefined && !wakeups.has(cell)) {
      wakeups.set(cell, [sequence]);
    }
  }
  return wakeups;
}

/** A message that names no cell is dropped: it would come back the same. */
export function wakeupsOfTimers(
  records: readonly Pick<SQSRecord, 'messageId' | 'body'>[],
  log: Pick<Log, 'warn'>,
): Wakeups {
  const wakeups = new Map<CellId, string[]>();
  for (const { messageId, body } of records) {
    const cell = cellOf(parseBody(body));
    if (cell === null) log.warn('a timer that names no cell was dropped', { messageId });
    else wakeups.set(cell, [...(wakeups.get(cell) ?? []), messageId]);
  }
  return wakeups;
}

function cellOf(body: unknown): CellId | null {
  return isRecord(body) && typeof body.cell === 'string' ? parseCellId(body.cell) : null;
}

/** For when each cell's look was asked; a cell is missing where a message does not say it. */
export function duesOfTimers(
  records: readonly Pick<SQSRecord, 'body'>[],
): ReadonlyMap<CellId, number> {
  const dues = new Map<CellId, number>();
  for (const record of records) {
    const body = parseBody(record.body);
    const cell = cellOf(body);
    if (!isRecord(body) || cell === null) continue;
    const dueAtMs = typeof body.dueAtMs === 'number' ? body.dueAtMs : Number.POSITIVE_INFINITY;
    dues.set(cell, Math.max(dueAtMs, dues.get(cell) ?? dueAtMs));
  }
  return dues;
}

/**
 * One pass per cell, however many records woke it; answers the records whose pass failed.
 *
 * A cell that fails is parked: a timer looks at it again. Its records would come back with all that
 * follow them in the stream's shard, and hold up cells that have nothing to do with it. Only when
 * not even the timer could be set do they come back.
 */
export async function scheduleCells(
  deps: PassDeps,
  wakeups: Wakeups,
  dues: ReadonlyMap<CellId, number> = new Map(),
): Promise<string[]> {
  const failed: string[] = [];
  await forEachLimited([...wakeups], passesAtOnce, async ([cell, records]) => {
    try {
      await runPass(deps, cell, dues.get(cell) ?? null);
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
