import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type CellOffer,
  chooseCellForEdge,
  chooseCells,
  planMoves,
} from '../../../core/fleet/choose-cells.ts';
import { type CellSummary, emptySummary } from '../../../core/model/cell-summary.ts';
import { cellsPerJobMax } from '../../../core/model/limits.ts';
import { type CellId, cellIdOf } from '../../../core/model/names.ts';
import { count, unionAll } from '../../../core/model/ranges.ts';
import { makeSpec } from '../cell-fixture.ts';

type Over = { total?: number; free?: number; backlog?: number; labels?: CellSummary['labels'] };

function offer(index: number, over: Over = {}, pool = 'default'): CellOffer {
  const total = over.total ?? 1_000;
  const free = over.free ?? total;
  return {
    id: cellIdOf(`${pool}.${index}`),
    pool,
    summary: {
      ...emptySummary,
      edges: { ...emptySummary.edges, total: 4, connected: 4 },
      power: { total, free, reserved: total - free, served: 0 },
      backlogPower: over.backlog ?? 0,
      largestEdgePower: total === 0 ? 0 : 250,
      labels: over.labels ?? {},
    },
  };
}

const chunking = (chunks: number, chunkPower = 10) => ({
  chunks,
  chunkPower,
  lastChunkPower: chunkPower,
});

test('a job that fits one cell stays in the freest', () => {
  const offers = [
    offer(0, { free: 100 }),
    offer(1, { free: 900 }),
    offer(2, { free: 950, backlog: 900 }),
  ];
  const chosen = chooseCells(offers, { chunking: chunking(50), spec: makeSpec() });
  expect(chosen).toEqual([{ cell: 'default.1', ranges: [0, 50] }]);
});

test('a job that runs everywhere is in each cell that has an edge, or waits in the first', () => {
  const spec = makeSpec({ everywhere: { until: 'forever', onCordoned: false } });
  const job = { chunking: chunking(1), spec };
  const empty = (index: number) => ({ ...offer(index), summary: emptySummary });
  const cellsOf = (offers: readonly CellOffer[], namedCells?: ReadonlySet<CellId>) =>
    chooseCells(offers, { ...job, ...(namedCells !== undefined && { namedCells }) });
  const nothing = { ranges: [] };
  expect(cellsOf([offer(10, { free: 0 }), offer(2), empty(1)])).toEqual([
    { cell: 'default.2', ...nothing },
    { cell: 'default.10', ...nothing },
  ]);
  expect(cellsOf([empty(3), empty(1)])).toEqual([{ cell: 'default.1', ...nothing }]);
  const named = new Set([cellIdOf('default.1')]);
  expect(cellsOf([offer(0), empty(1)], named)).toEqual([{ cell: 'default.1', ...nothing }]);
  const many = Array.from({ length: 100 }, (_, index) => offer(index));
  expect(cellsOf(many)).toHaveLength(cellsPerJobMax);
});

test('a large job is divided over as many cells as it needs, to the same level', () => {
  const offers = [offer(0), offer(1, { total: 3_000 }), offer(2), offer(3)];
  const chosen = chooseCells(offers, { chunking: chunking(390), spec: makeSpec() });
  expect(chosen.map(({ cell, ranges }) => [cell, count(ranges)])).toEqual([
    ['default.1', 293],
    ['default.0', 97],
  ]);
  const all = chooseCells(offers, { chunking: chunking(1_000_000), spec: makeSpec() });
  expect(all).toHaveLength(4);
  expect(Math.abs(count(all[0]!.ranges) - 500_000)).toBeLessThanOrEqual(1);
});

test('every chunk goes to exactly one cell, whatever the offers', () => {
  const cells = fc.array(
    fc.record({
      total: fc.nat({ max: 5_000 }),
      free: fc.nat({ max: 100 }),
      backlog: fc.nat({ max: 20_000 }),
    }),
    { maxLength: 60 },
  );
  fc.assert(
    fc.property(cells, fc.integer({ min: 1, max: 100_000 }), (list, chunks) => {
      const offers = list.map(({ total, free, backlog }, i) =>
        offer(i, { total, free: (total * free) / 100, backlog }),
      );
      const chosen = chooseCells(offers, { chunking: chunking(chunks), spec: makeSpec() });
      expect(unionAll(chosen.map(({ ranges }) => ranges))).toEqual([0, chunks]);
      expect(chosen.reduce((sum, { ranges }) => sum + count(ranges), 0)).toBe(chunks);
      expect(new Set(chosen.map(({ cell }) => cell)).size).toBe(chosen.length);
      expect(chosen.length).toBeLessThanOrEqual(cellsPerJobMax);
    }),
  );
});

test('cells that cannot have the edges it asks for are left out', () => {
  const requires = { labels: { site: 'south' }, expressions: [], edges: [] };
  const spec = makeSpec({ requires });
  const offers = [
    offer(0, { labels: { site: ['north'] } }),
    offer(1, { labels: { site: ['south'] }, free: 10 }),
  ];
  expect(chooseCells(offers, { chunking: chunking(2), spec })).toMatchObject([
    { cell: 'default.1' },
  ]);
  expect(
    chooseCells([offer(0, { labels: { site: null } })], { chunking: chunking(2), spec }),
  ).toHaveLength(1);
  const large = chooseCells([offer(0), offer(1, { free: 10 })], {
    chunking: chunking(1, 900),
    spec: makeSpec(),
  });
  expect(large).toHaveLength(1);
  const named = chooseCells(offers, {
    chunking: chunking(2),
    spec: makeSpec(),
    namedCells: new Set([cellIdOf('default.1')]),
  });
  expect(named).toMatchObject([{ cell: 'default.1' }]);
});

test('gangs and jobs with a limit of edges stay in one cell; a pool without cells gets its first', () => {
  const placement = { policy: 'spread' as const, maxEdges: 3, nodes: null };
  const offers = [offer(0), offer(1)];
  expect(
    chooseCells(offers, { chunking: chunking(900), spec: makeSpec({ placement }) }),
  ).toHaveLength(1);
  expect(chooseCells([], { chunking: chunking(9), spec: makeSpec({ pool: 'lab' }) })).toEqual([
    { cell: 'lab.0', ranges: [0, 9] },
  ]);
});

test('registration fills cells in order and opens the next one', () => {
  expect(chooseCellForEdge('lab', [])).toBe('lab.0');
  const cells = [
    { id: cellIdOf('lab.1'), edges: 3 },
    { id: cellIdOf('lab.0'), edges: 250 },
  ];
  expect(chooseCellForEdge('lab', cells)).toBe('lab.1');
  expect(chooseCellForEdge('lab', [{ id: cellIdOf('lab.4'), edges: 250 }])).toBe('lab.5');
});

test('waiting power moves from full cells to idle ones of the same pool', () => {
  const offers = [
    offer(0, { free: 0, backlog: 5_000 }),
    offer(1, { free: 100, backlog: 300 }),
    offer(2),
    offer(3, { free: 600 }),
    offer(0, {}, 'lab'),
  ];
  expect(planMoves(offers, 0)).toEqual([
    { from: 'default.0', to: 'default.2', power: 2_500, stranded: false },
    { from: 'default.1', to: 'default.3', power: 200, stranded: false },
  ]);
  expect(planMoves([offer(0, { free: 500, backlog: 100 }), offer(1)], 0)).toEqual([]);
});

test('what no edge of a cell is of the right kind for is offered to the others of the pool in turn', () => {
  const lost = { ...offer(0, { free: 900, backlog: 400 }) };
  const offers = [
    { ...lost, summary: { ...lost.summary, strandedPower: 400 } },
    offer(1, { free: 0, backlog: 50 }),
    offer(2, { free: 0, backlog: 50 }),
  ];
  const offered = [0, 1].map((turn) => planMoves(offers, turn).filter((move) => move.stranded));
  expect(offered.map(([move]) => move?.to)).toEqual(['default.1', 'default.2']);
  expect(offered[0]).toMatchObject([{ from: 'default.0', power: 400 }]);
});
