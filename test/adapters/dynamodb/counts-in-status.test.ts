import { expect, test } from 'vitest';
import { statusKey } from '../../../adapters/dynamodb/keys.ts';
import {
  eventsIn,
  foldedAttributes,
  withCountsIn,
} from '../../../adapters/dynamodb/rows/counts-in-status.ts';
import { decodeJobCell, encodeJobCell } from '../../../adapters/dynamodb/rows/rows-job.ts';
import { encodeSlice, placedSlice } from '../../../adapters/dynamodb/rows/rows-slice.ts';
import { readable } from '../../../adapters/dynamodb/rows/unreadable-row.ts';
import type { Row } from '../../../adapters/dynamodb/table.ts';
import { newSlice } from '../../../core/model/cell.ts';
import { cellIdOf, jobIdOf } from '../../../core/model/names.ts';
import { rangeOf } from '../../../core/model/ranges.ts';
import { makeCellStatus } from '../../core/cell-fixture.ts';

const cell = cellIdOf('default.0');
const job = jobIdOf('a-job');
const begun = { atMs: 5, kind: 'scheduled', by: 'scheduler', detail: '0 of 1 chunks done.' };
const over = { atMs: 9, kind: 'done', by: 'scheduler', detail: '1 of 1 chunks done.' };

const counted = makeCellStatus(job, {
  counts: {
    ...{ total: 9, waiting: 1, pending: 2, scheduled: 3, running: 0 },
    ...{ done: 1, dead: 2, cancelled: 0 },
  },
  donePower: 4,
  done: rangeOf(0, 1),
  dead: rangeOf(3, 5),
  startedAtMs: 7,
  reason: 'deadline',
  retryEpoch: 2,
  attemptsUsed: 3,
  foldedByCell: true,
});

function statusRow(...folds: Parameters<typeof foldedAttributes>[2][]): Row {
  const attributes = folds.map((fold) => foldedAttributes(cell, counted, fold));
  return { ...statusKey(job), ...Object.assign({}, ...attributes) };
}

test('counts within the status read as their row would', () => {
  const row = statusRow({ events: [], eventsIn: 'rows' });
  const [own, ...others] = withCountsIn(row, []);
  expect(others).toEqual([]);
  expect(own).toMatchObject({ pk: 'JOB#a-job', sk: `CELL#${cell}` });
  expect(decodeJobCell(own!)).toEqual(counted);
  expect(JSON.stringify(row.inCell).length).toBeLessThan(200);
  expect(withCountsIn({ ...statusKey(job) }, [])).toEqual([]);
  expect(withCountsIn(null, [])).toEqual([]);
});

test('a row that a pass wrote after the cell lost the status is newer', () => {
  const row = encodeJobCell(cell, { ...counted, foldedByCell: false });
  const other = encodeJobCell(cellIdOf('default.1'), counted);
  const status = statusRow({ events: [], eventsIn: 'rows' });
  expect(withCountsIn(status, [row])).toEqual([row]);
  expect(withCountsIn(status, [other])).toHaveLength(2);
});

test('of a row of an earlier release the status is newer, unless the job ended with the row', () => {
  const status = statusRow({ events: [], eventsIn: 'rows' });
  const earlier = encodeJobCell(cell, { ...counted, done: rangeOf(0, 0) });
  expect(withCountsIn(status, [earlier]).map(decodeJobCell)).toEqual([counted]);
  const ended = encodeJobCell(cell, { ...counted, endedAtMs: 11 });
  expect(withCountsIn(status, [ended])).toEqual([ended]);
});

test.each(['', '{}', '[1]', '["CELL#default.0",[1],{"done":"5-1"}]', '["EXEC#x",[],{}]'])(
  'counts that cannot be read are a row that cannot be: %s',
  (inCell) => {
    const [own] = withCountsIn({ ...statusKey(job), inCell }, []);
    expect(own).toBeDefined();
    expect(readable(own!, decodeJobCell)).toBeNull();
  },
);

test('the first lines and the last lie in the status, those between do not', () => {
  const status = statusRow(
    { events: [begun], eventsIn: 'began' },
    { events: [{ ...begun, atMs: 6, kind: 'pending' }], eventsIn: 'rows' },
    { events: [over], eventsIn: 'ended' },
  );
  expect(eventsIn(status)).toMatchObject([
    { ...begun, position: '00000000000005#scheduled' },
    { ...over, position: '00000000000009#done' },
  ]);
  expect(() => eventsIn({ ...statusKey(job), began: '[[1]]' })).toThrow();
});

test('a slice of which a pass has only written down its look needs no row', () => {
  const fresh = newSlice(rangeOf(0, 9));
  const placed = { ...fresh, countedAs: 'scheduled' as const, lastEventAtMs: 5 };
  const told = { ...placed, reportedReasons: ['no-fit', 'quota'] };
  expect(placedSlice(fresh)).toEqual({});
  expect(placedSlice(placed)).toEqual({ counted: 'scheduled', eventAtMs: 5 });
  const row = encodeSlice(cell, job, told);
  expect(placedSlice(told)).toEqual({
    counted: row.counted,
    eventAtMs: row.eventAtMs,
    told: row.told,
  });
  for (const more of [{ done: rangeOf(0, 1) }, { startedAtMs: 3 }, { foldedByRollup: true }]) {
    expect(placedSlice({ ...placed, ...more })).toBeNull();
  }
});
