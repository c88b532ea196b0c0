import { expect, test } from 'vitest';
import { chooseRanges, type Move, moveRanges } from '../../core/fleet/move-ranges.ts';
import type { Cell } from '../../core/model/cell.ts';
import { jobIdOf } from '../../core/model/names.ts';
import { count, intersect, rangeOf } from '../../core/model/ranges.ts';
import { makeCell, makeEdges, makeJob, startMs, withId, withIntent } from '../core/cell-fixture.ts';
import { cellStatus, commit, executionOf, north, south } from './stored-fixture.ts';
import type { Stores } from './stored-ports.ts';
import type { Contract } from './stores.ts';

const job = jobIdOf('job-1');
const full = withId(makeCell({ jobs: [makeJob(job, { chunks: 50 })] }), north);
const idle = withId(makeCell({ edges: makeEdges(4) }), south);

export function planMove(from: Cell, to: Cell, power: number): Move | null {
  const chosen = chooseRanges(from, to, { power, stranded: false }, startMs);
  return moveRanges(from, to, chosen, new Map(), startMs);
}

async function seeded(makeStores: () => Promise<Stores>): Promise<Stores & { move: Move }> {
  const stores = await makeStores();
  for (const cell of [full, idle]) await stores.seed(cell);
  return { ...stores, move: planMove(full, idle, 1_000)! };
}

/** What every store promises of moves: no chunk is ever in two cells, or in none. */
export const movesContract: Contract = (makeStores) => {
  test('after a move each chunk is in one cell, and is asked there as it was', async () => {
    const { moves, cells, move } = await seeded(makeStores);
    expect(await moves.commitMove(move)).toBe('committed');
    const [here, there] = [await cells.load(north), await moves.load(south)];
    const [left, moved] = [here?.jobs.get(job), there?.jobs.get(job)];
    expect([count(left!.slice.ranges), count(moved!.slice.ranges)]).toEqual([40, 10]);
    expect(intersect(left!.slice.ranges, moved!.slice.ranges)).toEqual([]);
    expect(moved!.intent).toEqual(left!.intent);
    expect([here?.meta.version, there?.meta.version]).toEqual([1, 1]);
  });

  test.each([north, south])('a move against %s as it was is a conflict', async (changed) => {
    const stores = await seeded(makeStores);
    await commit(stores, changed, {});
    const before = await Promise.all([north, south].map((cell) => stores.cells.load(cell)));
    expect(await stores.moves.commitMove(stores.move)).toBe('conflict');
    expect(await Promise.all([north, south].map((cell) => stores.cells.load(cell)))).toEqual(
      before,
    );
  });

  test.each([
    { cancelled: true },
    { cancelledRanges: rangeOf(0, 1) },
    { retryEpoch: 1 },
    { blockedByDependencies: true },
    { rollout: { generation: 2, earlier: [], restart: null } },
  ])('a job of which %j was asked in the meantime stays where it is', async (asked) => {
    const stores = await seeded(makeStores);
    await stores.seed(withIntent(full, job, asked));
    expect(await stores.moves.commitMove(stores.move)).toBe('conflict');
    expect((await stores.cells.load(south))?.jobs.size).toBe(0);
  });

  test('a job that ended in the cell before is found there with all its executions', async () => {
    const stores = await seeded(makeStores);
    expect((await stores.moves.historiesIn(south, [job])).size).toBe(0);
    const ended = cellStatus(job, { endedAtMs: startMs });
    const executions = makeEdges(2).map((edge) => executionOf(job, edge.name));
    await commit(stores, south, { jobStatuses: new Map([[job, ended]]) });
    await commit(stores, north, { executions });
    const unknown = jobIdOf('job-2');
    const histories = await stores.moves.historiesIn(south, [job, unknown]);
    expect([...histories]).toEqual([[job, { ended, executions }]]);
  });
};
