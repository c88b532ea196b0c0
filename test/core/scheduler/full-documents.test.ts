import { expect, test } from 'vitest';
import type { Cell } from '../../../core/model/cell.ts';
import { shadowBytesMax } from '../../../core/model/limits.ts';
import { edgeNameOf } from '../../../core/model/names.ts';
import { encodeWork } from '../../../core/protocol/work.ts';
import { workOf } from '../../../core/protocol/work-of.ts';
import { makeCell, makeEdge, makeJob, startMs } from '../cell-fixture.ts';
import { rest, withReport } from '../stage.ts';

const one = edgeNameOf('edge-0');

/** As it is sent: with the keys that a merge has to take out. */
function bytesOf(cell: Cell): number {
  const work = cell.edges.get(one)!.work!;
  const desired = encodeWork(workOf(work, cell.jobs), work.removed);
  return JSON.stringify({ state: { desired } }).length;
}

test('who is always a document behind has one with room for the jobs that go', () => {
  const jobs = Array.from({ length: 300 }, (_, at) =>
    makeJob(`0loyw4cxhltyz5e${String(at).padStart(3, '0')}`, { chunks: 1, chunkPower: 1 }),
  );
  let cell = rest(makeCell({ edges: [makeEdge(one, { power: 1_000 })], jobs }), startMs).cell;
  let applied = cell.edges.get(one)!.work!;
  let turns = 0;
  for (; cell.jobs.size > 0 && turns < 200; turns++) {
    expect(bytesOf(cell), `turn ${turns}`).toBeLessThanOrEqual(shadowBytesMax);
    const newest = cell.edges.get(one)!.work!;
    const ended = [...applied.leases.keys()].filter((id) => newest.leases.has(id)).slice(0, 10);
    const done = Object.fromEntries(ended.map((id) => [id, { done: '0' }]));
    const atMs = startMs + (turns + 1) * 1_000;
    cell = rest(withReport(cell, one, done, atMs, applied.epoch), atMs).cell;
    applied = newest;
  }
  expect(cell.jobs.size).toBe(0);
});
