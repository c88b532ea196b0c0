import type { EndNotices } from '../../../core/ports/end-notices.ts';
import { withEnd } from '../../../core/webhooks/end-notice.ts';
import { endAddTriesMax } from '../../../core/webhooks/limits.ts';
import { jobOfRow } from '../keys.ts';
import { decodeEndNotice, encodeEndNotice } from '../rows/rows-end-notice.ts';
import { eventRow } from '../rows/rows-event.ts';
import { listIndex, lists } from '../schema.ts';
import type { Condition, Table, Write } from '../table.ts';
import { transactWithRetry } from '../transact-with-retry.ts';
import { noticeKey, noticeListKey } from './notice-keys.ts';

/** One row a job, in its own partition, so that it goes with the job. */
export function createEndNotices(table: Table): EndNotices {
  const find: EndNotices['find'] = async (job) => {
    const row = await table.get(noticeKey(job));
    return row === null ? null : decodeEndNotice(row);
  };
  return {
    find,

    async add(job, event, nowMs) {
      for (let tries = 0; tries < endAddTriesMax; tries++) {
        const found = await find(job);
        const next = withEnd(job, found, event, nowMs);
        if (next === null) return;
        const condition = found === null ? absent : seen(found.turn);
        if (await table.put(encodeEndNotice(next), condition)) return;
      }
      throw new Error(`others changed the notice of ${job} each time`);
    },

    async due(nowMs, limit) {
      const { rows } = await table.query({ pk: lists.notices, index: listIndex.name, limit });
      const { listSk } = noticeListKey('', nowMs + 1);
      return rows.filter((row) => String(row.listSk) < listSk).map(jobOfRow);
    },

    async save(next, seenTurn, line) {
      const writes: Write[] = [
        { kind: 'put', row: encodeEndNotice(next), condition: seen(seenTurn) },
        ...(line === undefined ? [] : [{ kind: 'put', row: eventRow(next.job, line) } as const]),
      ];
      return (await transactWithRetry(table, writes)).kind === 'committed';
    },
  };
}

const absent: Condition = { expression: 'attribute_not_exists(#pk)' };

function seen(turn: number): Condition {
  return { expression: '#turn = :seen', values: { seen: turn } };
}
