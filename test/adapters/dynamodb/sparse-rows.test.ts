import { expect, test } from 'vitest';
import { collectParts } from '../../../adapters/dynamodb/rows/cell-parts.ts';
import { assembleCell } from '../../../adapters/dynamodb/rows/cell-rows.ts';
import { encodeMeta } from '../../../adapters/dynamodb/rows/rows-cell.ts';
import {
  decodeJobCell,
  decodeStatus,
  encodeJobCell,
  encodeStatus,
} from '../../../adapters/dynamodb/rows/rows-job.ts';
import {
  decodeSlice,
  encodeIntent,
  encodeSlice,
} from '../../../adapters/dynamodb/rows/rows-slice.ts';
import { decodeWorkRow, encodeWorkRow } from '../../../adapters/dynamodb/rows/rows-work.ts';
import type { Row } from '../../../adapters/dynamodb/table.ts';
import {
  type Cell,
  type Lease,
  newCellMeta,
  newSlice,
  noEdgeWork,
} from '../../../core/model/cell.ts';
import { newJobStatus } from '../../../core/model/job-status.ts';
import { cellIdOf, edgeNameOf, jobIdOf } from '../../../core/model/names.ts';
import { emptyRanges, rangeOf } from '../../../core/model/ranges.ts';
import { makeCellStatus, makeJob } from '../../core/cell-fixture.ts';

const cell = cellIdOf('default.0');
const job = jobIdOf('a-job');

test('a slice that just began is little more than its ranges, and reads the same', () => {
  const slice = newSlice(rangeOf(0, 9));
  const row = encodeSlice(cell, job, slice);
  expect(Object.keys(row).sort()).toEqual(['attemptBase', 'pk', 'ranges', 'retryEpoch', 'sk']);
  expect(decodeSlice(row)).toEqual(slice);
});

test('a new job is one row in its cell: the intent has its chunks until a pass wrote a slice', () => {
  const { intent, slice } = makeJob(job, { chunks: 10 });
  const meta = encodeMeta(newCellMeta(cell, 'default', 0));
  const row = encodeIntent(cell, job, intent, slice.ranges);
  expect(assembledOf([meta, row])?.jobs.get(job)).toEqual({
    ...{ id: job, intent, slice },
    hasNoSliceRow: true,
  });
  const folded = { ...slice, done: rangeOf(0, 3) };
  const rows = [meta, encodeSlice(cell, job, folded), row];
  expect(assembledOf(rows)?.jobs.get(job)?.slice).toEqual(folded);
  const withoutChunks = assembledOf([meta, encodeIntent(cell, job, intent)]);
  expect(withoutChunks?.jobs.has(job)).toBe(false);
});

test('a slice with a past keeps all of it', () => {
  const slice = {
    ...newSlice(rangeOf(0, 9)),
    done: rangeOf(0, 3),
    reportedReasons: ['no-fit'],
    refusals: new Map([[edgeNameOf('edge-1'), { reason: 'no such program', atMs: 7 }]]),
    startedAtMs: 0,
  };
  expect(decodeSlice(encodeSlice(cell, job, slice))).toEqual(slice);
});

test('a zero is a value: a job that may have no failed chunk at all is not one without a limit', () => {
  const status = newJobStatus({
    job,
    name: null,
    pool: 'default',
    queue: 'default',
    labels: {},
    chunking: { chunks: 10, chunkPower: 1, lastChunkPower: 1 },
    cells: [cell],
    dependsOn: [],
    createdAtMs: 1,
    maxFailedChunks: 0,
  });
  const row = encodeStatus(status);
  expect(row).not.toHaveProperty('endedAtMs');
  expect(decodeStatus(row)).toEqual(status);
});

test('the counts of a cell read the same', () => {
  const status = makeCellStatus(job, { endedAtMs: 0 });
  expect(decodeJobCell(encodeJobCell(cell, status))).toEqual(status);
  const again = { ...status, retryEpoch: 3 };
  expect(decodeJobCell(encodeJobCell(cell, again))).toEqual(again);
});

test('a lease that was granted again keeps when it began', () => {
  const lease: Lease = {
    ranges: rangeOf(0, 3),
    reclaiming: emptyRanges,
    reclaimEpoch: null,
    slots: 2,
    running: emptyRanges,
    grantedAtMs: 9,
    startedAtMs: 9,
    chunkMs: null,
    heldBefore: emptyRanges,
    doneHere: emptyRanges,
    deadHere: emptyRanges,
  };
  for (const kept of [lease, { ...lease, startedAtMs: 4 }]) {
    const work = { ...noEdgeWork, leases: new Map([[job, kept]]) };
    const row = encodeWorkRow(cell, edgeNameOf('edge-1'), work);
    expect(decodeWorkRow(row).leases.get(job)).toEqual(kept);
  }
});

function assembledOf(rows: readonly Row[]): Cell | null {
  return assembleCell(collectParts(rows));
}
