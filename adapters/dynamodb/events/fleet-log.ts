import type { FleetEvent } from '../../../core/events/fleet-event.ts';
import {
  appendTriesMax,
  eventRowsReadMax,
  eventsKeptSeconds,
  eventsPerRowMax,
} from '../../../core/events/limits.ts';
import type { FleetLog, LoggedEvent, LogPosition } from '../../../core/ports/fleet-log.ts';
import { batchOfRow, fleetLogKey } from '../keys.ts';
import { areEvents } from '../rows/event-shapes.ts';
import { json } from '../rows/row-values.ts';
import { readableOrReported } from '../rows/unreadable-row.ts';
import { expiryAttribute, partitions } from '../schema.ts';
import type { Row, Table } from '../table.ts';

/**
 * Batches under consecutive numbers: a batch is written if nobody has its number, so that there is
 * one order, and no reader passes a number that somebody still writes. The first number is the
 * minute, so that a log of which everything has expired goes on above where it was.
 */
export function createFleetLog(table: Table): FleetLog {
  const pk = partitions.fleetLog;
  let last: number | null = null;

  const lastBatch = async (): Promise<number | null> => {
    const page = await table.query({ pk, backwards: true, limit: 1, consistent: true });
    const [row] = page.rows;
    return row === undefined ? null : batchOfRow(row);
  };

  const append = async (events: readonly FleetEvent[], nowMs: number): Promise<void> => {
    const expiresAt = Math.ceil(nowMs / 1_000) + eventsKeptSeconds;
    const body = { events: JSON.stringify(events), [expiryAttribute]: expiresAt };
    for (let tries = 0; tries < appendTriesMax; tries++) {
      last ??= await lastBatch();
      const batch: number = last === null ? firstBatch(nowMs) : last + 1;
      const condition = { expression: 'attribute_not_exists(#pk)' };
      const isMine = await table.put({ ...fleetLogKey(batch), ...body }, condition);
      // A number that is far behind would be tried for long; then it is looked up again.
      last = isMine || tries % lookUpEvery !== 0 ? batch : null;
      if (isMine) return;
    }
    throw new Error('others appended to the fleet log each time');
  };

  return {
    async append(events, nowMs) {
      for (let at = 0; at < events.length; at += eventsPerRowMax) {
        await append(events.slice(at, at + eventsPerRowMax), nowMs);
      }
    },

    async newest(nowMs) {
      const batch = await lastBatch();
      return { batch: batch ?? firstBatch(nowMs) - 1, events: eventsPerRowMax };
    },

    async read(after, nowMs) {
      // The batch one is in comes again: what of it is behind one is left out, and that it is there
      // says that nothing between was removed.
      const start = after === null ? {} : { after: fleetLogKey(after.batch - 1) };
      const page = await table.query({ pk, limit: eventRowsReadMax, consistent: true, ...start });
      const kept = page.rows.filter((row) => Number(row[expiryAttribute]) * 1_000 > nowMs);
      const [first] = kept;
      if (after !== null && first !== undefined && batchOfRow(first) > after.batch + 1) {
        return isBeforeFirst(after, nowMs) ? eventsOf(table, kept, after) : 'gone';
      }
      return eventsOf(table, kept, after);
    },
  };
}

const lookUpEvery = 5;

const minuteMs = 60_000;

/** Two who find nothing begin with the same number. */
const firstBatch = (nowMs: number): number => Math.floor(nowMs / minuteMs) * minuteMs;

/** Asked for while nothing was there: what came first since then follows it. */
function isBeforeFirst({ batch }: LogPosition, nowMs: number): boolean {
  return batch % minuteMs === minuteMs - 1 && batch > nowMs - eventsKeptSeconds * 1_000;
}

function eventsOf(table: Table, rows: readonly Row[], after: LogPosition | null): LoggedEvent[] {
  return rows.flatMap((row) => {
    const batch = batchOfRow(row);
    const events = readableOrReported(table, row, (it) =>
      json<FleetEvent[]>(it.events, areEvents, []),
    );
    return (events ?? [])
      .map((event, at) => ({ event, position: { batch, events: at + 1 } }))
      .filter(({ position }) => after === null || isBehind(position, after));
  });
}

function isBehind(one: LogPosition, other: LogPosition): boolean {
  return one.batch > other.batch || (one.batch === other.batch && one.events > other.events);
}
