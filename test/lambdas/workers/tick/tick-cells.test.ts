import { expect, test } from 'vitest';
import type { Move } from '../../../../core/fleet/move-ranges.ts';
import type { Cell, CellMeta } from '../../../../core/model/cell.ts';
import { type CellSummary, emptySummary } from '../../../../core/model/cell-summary.ts';
import { tickEveryMs } from '../../../../core/model/limits.ts';
import {
  type CellId,
  cellIdOf,
  edgeNameOf,
  type JobId,
  jobIdOf,
} from '../../../../core/model/names.ts';
import { count, emptyRanges, intersect, rangeOf } from '../../../../core/model/ranges.ts';
import type { Rollout } from '../../../../core/services/rollout.ts';
import { tickCells } from '../../../../lambdas/workers/tick/tick-cells.ts';
import {
  type JobOptions,
  makeCell,
  makeEdges,
  makeJob,
  startMs,
} from '../../../core/cell-fixture.ts';
import { createMemoryPools } from '../../../memory/pools.ts';
import { nothingStored } from '../../../memory/stored.ts';
import { createQuietLog } from '../../quiet-log.ts';

type Parts = { readonly id: string; readonly summary?: Partial<CellSummary>; readonly cell?: Cell };

function stage(parts: readonly Parts[], pending: readonly JobId[] = []) {
  const folded: JobId[] = [];
  const touched: CellId[] = [];
  const moves: Move[] = [];
  const metas = parts.map(
    ({ id, summary }): CellMeta => ({
      ...makeCell().meta,
      id: cellIdOf(id),
      summary: { ...emptySummary, ...summary },
    }),
  );
  const cells = new Map(parts.map(({ id, cell }) => [id, cell]));
  const log = createQuietLog();
  const pools = createMemoryPools(nothingStored());
  return {
    touched,
    moves,
    folded,
    log,
    deps: (nowMs: number) => ({
      fleet: {
        cells: async () => metas.map((meta) => meta.id),
        metas: async () => metas,
        finishBatches: async () => 0,
        pendingRollups: async (atMs: number) => (atMs === nowMs - tickEveryMs ? pending : []),
        async touch(cell: CellId) {
          touched.push(cell);
        },
      },
      pools,
      jobs: { listPool: async () => [] },
      moves: {
        async load(id: CellId) {
          const cell = cells.get(id);
          return cell === undefined ? null : { ...cell, meta: { ...cell.meta, id } };
        },
        historiesIn: async () => new Map(),
        async commitMove(move: Move) {
          moves.push(move);
          return 'committed' as const;
        },
      },
      async fold(jobs: readonly JobId[]) {
        folded.push(...jobs);
      },
      clock: { nowMs: () => nowMs },
      log,
    }),
  };
}

const edges = emptySummary.edges;
/** A minute in which it is the turn of no idle cell among the first few. */
const quietMs = 9 * 60_000;

test('cells with work or lost edges are touched, idle ones are not', async () => {
  const { deps, touched } = stage([
    { id: 'default.0', summary: { jobs: 1 } },
    { id: 'default.1' },
    { id: 'default.2', summary: { edges: { ...edges, lost: 1 } } },
    { id: 'default.3', summary: { edges: { ...edges, busy: 1 } } },
    { id: 'default.4', summary: { edges: { ...edges, total: 9, connected: 9, free: 9 } } },
  ]);
  await tickCells(deps(quietMs));
  expect(touched.toSorted()).toEqual(['default.0', 'default.2', 'default.3']);
});

test('every idle cell has its turn within ten minutes', async () => {
  const ids = Array.from({ length: 25 }, (_, at) => `default.${at}`);
  const { deps, touched } = stage(ids.map((id) => ({ id })));
  for (let minute = 0; minute < 10; minute++) await tickCells(deps(startMs + minute * 60_000));
  expect(touched.toSorted()).toEqual(ids.toSorted());
});

const full = makeCell({ edges: makeEdges(1), jobs: [makeJob('job-1', { chunks: 50 })] });
const idle = makeCell({ edges: makeEdges(4) });
const summaries = {
  full: { jobs: 1, backlogPower: 5_000, edges: { ...edges, total: 1, connected: 1 } },
  idle: {
    power: { ...emptySummary.power, total: 1_000, free: 1_000 },
    edges: { ...edges, total: 4, connected: 4 },
  },
};

test('waiting chunks move from a full cell to an idle one, all of them once', async () => {
  const { deps, moves } = stage([
    { id: 'default.0', summary: summaries.full, cell: full },
    { id: 'default.1', summary: summaries.idle, cell: idle },
  ]);
  await tickCells(deps(quietMs));
  expect(moves).toHaveLength(1);
  const there = moves[0]?.to.slices.get(jobIdOf('job-1'))?.ranges ?? emptyRanges;
  const here = moves[0]?.from.slices.get(jobIdOf('job-1'))?.ranges ?? emptyRanges;
  expect(count(there)).toBeGreaterThan(0);
  expect(intersect(there, here)).toEqual([]);
  expect(count(there) + count(here)).toBe(50);
  expect(moves[0]?.intents.has(jobIdOf('job-1'))).toBe(true);
});

test('a job whose last fold was lost is folded', async () => {
  const { deps, folded } = stage([], [jobIdOf('job-1')]);
  await tickCells(deps(quietMs));
  expect(folded).toEqual(['job-1']);
});

test('a move that fails stops neither the others nor the tick', async () => {
  const { deps, touched, log } = stage([
    { id: 'default.0', summary: summaries.full, cell: full },
    { id: 'default.1', summary: summaries.idle, cell: idle },
  ]);
  const made = deps(quietMs);
  const commitMove = async () => {
    throw new Error('the table is away');
  };
  await tickCells({ ...made, moves: { ...made.moves, commitMove } });
  expect(touched).toEqual(['default.0']);
  expect(log.lines.some((line) => line.level === 'error')).toBe(true);
});

const everywhere = { until: 'forever' as const, onCordoned: false };
const anywhere = jobIdOf('web');
const running = { everywhere: [anywhere], edges: { ...edges, total: 4 } };

function stageOfTwo(job: JobOptions) {
  const from = makeCell({ jobs: [makeJob('web', { kind: 'everywhere', everywhere, ...job })] });
  const to = makeCell({ edges: makeEdges(4) });
  return stage([
    { id: 'default.0', cell: from, summary: running },
    { id: 'default.1', cell: to, summary: { edges: { ...edges, total: 4 } } },
  ]);
}

test('a job that runs everywhere comes to a cell that has opened, without an instance', async () => {
  const { deps, moves } = stageOfTwo({});
  await tickCells(deps(quietMs));
  expect(moves).toHaveLength(1);
  const { from, to, intents } = moves[0]!;
  expect([...intents.keys()]).toEqual([anywhere]);
  expect(to.slices.get(anywhere)).toMatchObject({ ranges: emptyRanges, foldedByRollup: true });
  expect(from.slices.get(anywhere)).toMatchObject({ foldedByRollup: true });
});

test.each<[string, JobOptions]>([
  ['is over with the edges of now', { everywhere: { ...everywhere, until: 'all-now' } }],
  ['is bound to certain edges', { requires: { labels: {}, expressions: [], edges: ['edge-1'] } }],
  ['is to end', { intent: { cancelled: true } }],
  [
    'has numbers that another cell gives now',
    { slice: { seats: new Map([[edgeNameOf('e'), 1_000]]) } },
  ],
])('one that %s goes nowhere', async (_, job) => {
  const { deps, moves } = stageOfTwo(job);
  await tickCells(deps(quietMs));
  expect(moves).toEqual([]);
});

test('it comes as the generation that all have come to, and not with what is under way', async () => {
  const due = new Map([[1, rangeOf(0, 2)]]);
  const moving = { ...rollout, state: 'moving' as const, due, unsettled: new Map([[3, null]]) };
  const { deps, moves } = stageOfTwo({ slice: { rollout: moving } });
  await tickCells(deps(quietMs));
  expect(moves[0]!.to.slices.get(anywhere)?.rollout).toEqual({
    ...moving,
    due: new Map(),
    unsettled: new Map(),
  });
});

const rollout: Rollout = {
  generation: 2,
  wanted: 2,
  restarts: 0,
  state: 'done',
  stable: 1,
  due: new Map(),
  unsettled: new Map(),
  progressAtMs: 0,
  reason: null,
};
