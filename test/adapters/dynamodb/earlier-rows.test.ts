import { expect, test } from 'vitest';
import { collectParts } from '../../../adapters/dynamodb/rows/cell-parts.ts';
import { assembleCell } from '../../../adapters/dynamodb/rows/cell-rows.ts';
import { decodeMeta, encodeMeta } from '../../../adapters/dynamodb/rows/rows-cell.ts';
import {
  decodeEdge,
  decodeFacts,
  encodeEdge,
  encodeFacts,
} from '../../../adapters/dynamodb/rows/rows-edge.ts';
import {
  decodeExecution,
  decodeJobCell,
  decodeStatus,
  encodeExecution,
  encodeJobCell,
  encodeStatus,
} from '../../../adapters/dynamodb/rows/rows-job.ts';
import {
  decodeIntent,
  decodeSlice,
  encodeIntent,
  encodeSlice,
} from '../../../adapters/dynamodb/rows/rows-slice.ts';
import { decodeWorkRow, encodeWorkRow } from '../../../adapters/dynamodb/rows/rows-work.ts';
import type { Row } from '../../../adapters/dynamodb/table.ts';
import { cellIdOf, edgeNameOf, jobIdOf } from '../../../core/model/names.ts';

/**
 * Rows as the first version stored them. Whatever the code calls these things, a row that is in
 * somebody's table or backup is read, and written again with nothing lost and under the same names.
 */
const cell = cellIdOf('default.0');
const edge = edgeNameOf('edge-1');
const job = jobIdOf('a-job');
const inCell = { pk: 'CELL#default.0' };
const ofJob = { pk: 'JOB#a-job' };

const stored: Readonly<Record<string, Row>> = {
  META: {
    ...inCell,
    sk: 'META',
    pool: 'default',
    version: 57,
    health: '{"tickAtMs":1000,"healthySinceMs":500,"holdSinceMs":null}',
    summary:
      '{"edges":{"total":3,"connected":2,"disconnected":0,"lost":1,"busy":1,"free":1,' +
      '"cordoned":0,"aside":0},"power":{"total":750,"free":100,"reserved":650,"served":9},' +
      '"chunks":{"pending":4,"scheduled":1,"running":2,"done":10,"dead":1,"cancelled":0},' +
      '"backlogPower":40,"strandedPower":0,"largestEdgePower":250,"jobs":1,' +
      '"labels":{"site":["north"]}}',
  },
  EDGE: {
    ...inCell,
    sk: 'EDGE#edge-1',
    labels: '{"site":"north"}',
    capacity: '{"power":300}',
    cordoned: '{"reason":"a fan","atMs":7}',
    drain: 'null',
    removing: 'null',
  },
  FACTS: {
    ...inCell,
    sk: 'FACTS#edge-1',
    capacity: '{"power":250,"cores":4}',
    labels: '{"site":"north"}',
    flat: '{"arch":"x64"}',
    version: 4,
  },
  WORK: {
    ...inCell,
    sk: 'WORK#edge-1',
    epoch: 41,
    folded: 57,
    boot: 'b1',
    leases:
      '{"a-job":{"r":"0-41,43","s":8,"at":1000,"st":500,"u":"20-41","ue":41,"a":"0-7",' +
      '"m":950,"d":"44","x":"45"}}',
    writtenAtMs: 900,
    rewrites: 2,
    removed: 'b-job,c-job',
    lostAtMs: 800,
    failuresInRow: 3,
    asideUntilMs: 2000,
  },
  ASK: {
    ...inCell,
    sk: 'ASK#a-job',
    spec:
      '{"queue":"default","resources":{},"run":{"simulate":{"seconds":1}},' +
      '"requires":{"labels":{},"expressions":[],"edges":[]},' +
      '"placement":{"policy":"spread","maxEdges":null,"nodes":null},' +
      '"lostAfterSeconds":120,"deadlineSeconds":null}',
    priority: 5,
    retries: '{"attempts":3,"backoffSeconds":1}',
    specHash: 'abc',
    cut: '{"chunks":50,"chunkPower":10,"lastChunkPower":13}',
    submittedAtMs: 100,
    cancelled: false,
    retryEpoch: 1,
    held: true,
  },
  SHARE: {
    ...inCell,
    sk: 'SHARE#a-job',
    ranges: '0-49',
    done: '0-9',
    dead: '10',
    cancelled: '48-49',
    retries: '[[11,2,5000,"timeout"],[12,1,6000,3]]',
    losses: '[[13,1]]',
    refusals: '[["edge-1",{"reason":"no such program","atMs":7}]]',
    retryEpoch: 1,
    revived: '14',
    attemptBase: 2,
    told: 'no-fit',
    startedAtMs: 400,
    past: '[["edge-1","0-4"]]',
  },
  STATUS: {
    ...ofJob,
    sk: 'STATUS',
    version: 9,
    state: 'running',
    percent: 19,
    counts:
      '{"total":50,"waiting":0,"pending":30,"scheduled":5,"running":4,' +
      '"done":10,"dead":1,"cancelled":0}',
    donePower: 100,
    startedAtMs: 400,
    endedAtMs: 900,
    reason: 'a reason',
    waiting: '[{"reason":"no-edges","chunks":3}]',
    held: true,
    orphaned: true,
    retrying: '[["default.0",1]]',
    counted: 'running',
    name: 'a name',
    pool: 'default',
    queue: 'default',
    labels: '{"team":"blue"}',
    cut: '{"chunks":50,"chunkPower":10,"lastChunkPower":13}',
    cells: '["default.0"]',
    dependsOn: '["b-job"]',
    createdAtMs: 100,
    maxFailedChunks: 3,
    cancelled: true,
  },
  CELL: {
    ...ofJob,
    sk: 'CELL#default.0',
    counts:
      '{"total":50,"waiting":0,"pending":30,"scheduled":5,"running":4,' +
      '"done":10,"dead":1,"cancelled":0}',
    donePower: 100,
    done: '0-9',
    dead: '10',
    cancelled: '48-49',
    waiting: '[{"reason":"no-edges","chunks":3}]',
    startedAtMs: 400,
    endedAtMs: 900,
    reason: 'a reason',
    retryEpoch: 1,
  },
  EXEC: {
    ...ofJob,
    sk: 'EXEC#edge-1',
    chunks: '0-9',
    done: '0-4',
    running: '5-6',
    dead: '7',
    power: 100,
    slots: 3,
    startedAtMs: 400,
    endedAtMs: 900,
  },
};

const again: Readonly<Record<string, (row: Row) => Row>> = {
  META: (row) => encodeMeta(decodeMeta(row)),
  EDGE: (row) => encodeEdge(cell, edge, decodeEdge(row)),
  FACTS: (row) => encodeFacts(cell, edge, decodeFacts(row), 4),
  WORK: (row) => encodeWorkRow(cell, edge, decodeWorkRow(row)),
  ASK: (row) => encodeIntent(cell, job, decodeIntent(row)),
  SHARE: (row) => encodeSlice(cell, job, decodeSlice(row)),
  STATUS: (row) => encodeStatus(decodeStatus(row)),
  CELL: (row) => encodeJobCell(cell, decodeJobCell(row)),
  EXEC: (row) => encodeExecution(decodeExecution(row)),
};

test.each(Object.entries(stored))('%s of the first version is kept whole', (kind, row) => {
  expect(again[kind]!(row)).toMatchObject(row);
});

test.each(Object.entries(stored))('%s with something of a later version is read', (kind, row) => {
  const later = { ...row, fromLater: 'a thing that nobody knows yet' };
  expect(again[kind]!(later)).toEqual(again[kind]!(row));
});

test('what no version before had reads as its default', () => {
  const rows: Row[] = [
    { ...inCell, sk: 'META' },
    { ...inCell, sk: 'EDGE#edge-1' },
    { ...inCell, sk: 'FACTS#edge-1' },
    { ...inCell, sk: 'REPORT#edge-1' },
    { ...inCell, sk: 'WORK#edge-1' },
    { ...stored.ASK!, given: '0-3' },
    { ...inCell, sk: 'SHARE#a-job' },
    { ...inCell, sk: 'QUEUE#default' },
  ];
  const read = assembleCell(collectParts(rows))!;
  expect(read.edges.get(edge)).toMatchObject({ report: { connected: false }, facts: {} });
  expect(read.jobs.has(job)).toBe(true);
  expect(read.queues.get('default')).toMatchObject({ weight: 1, strict: false });
});

test('a kind of row that a later version writes is left to it', () => {
  const rows: Row[] = [
    { ...inCell, sk: 'META' },
    { ...inCell, sk: 'EDGE#edge-1' },
    { ...inCell, sk: 'LATER#edge-1', what: 'nobody knows' },
    { ...inCell, sk: 'LATER' },
  ];
  const read = assembleCell(collectParts(rows))!;
  expect([...read.edges.keys()]).toEqual([edge]);
  expect(read.unreadable).toBeUndefined();
});
