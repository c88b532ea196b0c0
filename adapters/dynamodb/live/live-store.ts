import {
  liveOffsetMax,
  livePagesMax,
  livePartBytesMax,
  livePartKeptSeconds,
  livePartsReadMax,
  liveWishMs,
} from '../../../core/live/limits.ts';
import { encodeLiveWishes, parseLiveWishes } from '../../../core/live/live-wishes.ts';
import type { JobId } from '../../../core/model/names.ts';
import type { LiveOutput } from '../../../core/ports/live-output.ts';
import { jobPartition, livePartKey, livePartPrefix, liveWishesKey } from '../keys.ts';
import { text, whole } from '../rows/row-values.ts';
import { readableOrReported, readableRows } from '../rows/unreadable-row.ts';
import { expiryAttribute } from '../schema.ts';
import type { QueryRequest, Table } from '../table.ts';
import { decodeLivePart, encodeLivePart } from './live-row.ts';

/** Rows that go by themselves: the wishes of an edge, and each part of an output. */
export function createLiveStore(table: Table): LiveOutput {
  return {
    async wishes(edge) {
      const row = await table.get(liveWishesKey(edge));
      const nothing = { wishes: [], version: 0 };
      if (row === null) return nothing;
      const read = readableOrReported(table, row, (it) => ({
        wishes: parseLiveWishes(text(it.wishes)),
        version: whole(it.version),
      }));
      return read ?? nothing;
    },

    saveWishes(edge, seen, wishes, nowMs) {
      const row = {
        ...liveWishesKey(edge),
        wishes: encodeLiveWishes(wishes),
        version: seen + 1,
        [expiryAttribute]: Math.ceil((nowMs + 2 * liveWishMs) / 1_000),
      };
      const expression = 'attribute_not_exists(#pk) OR #version = :seen';
      return table.put(row, { expression, values: { seen } });
    },

    async keepPart(job, chunk, part, nowMs) {
      const key = livePartKey(job, chunk, part.attempt, part.offset);
      const expiresAt = Math.ceil(nowMs / 1_000) + livePartKeptSeconds;
      await table.put({ ...key, ...encodeLivePart(part), [expiryAttribute]: expiresAt });
    },

    async parts(job, chunk, { attempt, offset }, nowMs) {
      const begin = Math.max(0, offset - livePartBytesMax);
      const wanted = { pk: jobPartition(job), skPrefix: livePartPrefix(chunk) };
      let start: Pick<QueryRequest, 'after'> = justBefore(job, chunk, attempt, begin);
      for (let pages = 0; pages < livePagesMax; pages++) {
        const page = await table.query({ ...wanted, limit: livePartsReadMax, ...start });
        // The service removes a row some time after it has expired.
        const kept = page.rows.filter((row) => Number(row[expiryAttribute]) * 1_000 > nowMs);
        if (kept.length > 0 || page.next === null) {
          return readableRows(table, kept, decodeLivePart);
        }
        start = { after: page.next };
      }
      return [];
    },
  };
}

/** Where a page begins that has this place as its first. */
function justBefore(job: JobId, chunk: number, attempt: number, offset: number) {
  if (offset > 0) return { after: livePartKey(job, chunk, attempt, offset - 1) };
  if (attempt <= 1) return {};
  return { after: livePartKey(job, chunk, attempt - 1, liveOffsetMax) };
}
