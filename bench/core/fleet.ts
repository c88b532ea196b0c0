import { type CellOffer, chooseCells } from '../../core/fleet/choose-cells.ts';
import type { CellJob } from '../../core/model/cell.ts';
import { emptySummary } from '../../core/model/cell-summary.ts';
import { type CellId, cellIdOf } from '../../core/model/names.ts';
import { count, type RangeSet, rangeOf } from '../../core/model/ranges.ts';
import type { Figures } from '../run.ts';
import { type Counts, dollars, noCounts } from './bill.ts';
import { type CellOptions, runCell } from './cell-run.ts';
import { equalEdges, jobOf } from './measured-cell.ts';

/**
 * A fleet of a hundred thousand edges in 400 cells, a thousand jobs of a million chunks each, from
 * submit to the last chunk on one core. Jobs are divided over cells as at submit; cells know
 * nothing of each other, so they run in turn.
 */
const fleet = { cells: 400, edgesPerCell: 250, jobs: 1_000, chunks: 1_000_000 };

const edgePower = 250;

const options: CellOptions = {
  edges: equalEdges(fleet.edgesPerCell, edgePower),
  chunkMs: 10_000,
  reportEveryMs: 60_000,
};

export function measureFleet(cells = fleet.cells, jobs = fleet.jobs): readonly Figures[] {
  const slices = submitAll(cells, jobs);
  const counts = noCounts();
  const start = process.cpuUsage();
  const startMs = performance.now();
  for (const [cell, own] of slices) runCell(cell, own, options, counts);
  const { user, system } = process.cpuUsage(start);
  const expected = jobs * fleet.chunks;
  if (counts.chunks !== expected) throw new Error(`${counts.chunks} of ${expected} chunks ended`);
  return [
    {
      figure: `fleet of ${cells * fleet.edgesPerCell} edges in ${cells} cells, ${jobs} jobs`,
      chunks: counts.chunks,
      cpuSeconds: (user + system) / 1_000_000,
      seconds: (performance.now() - startMs) / 1000,
      secondsGoal: 300,
      memoryMaxGigabytes: process.resourceUsage().maxRSS / 1024 / 1024,
      memoryGoalGigabytes: 4,
    },
    perMillion('per million chunks, in this fleet', counts),
  ];
}

/** Leases of about fifty chunks: the size down to which the goal of the bill holds. */
export function measureSmallLeases(): readonly Figures[] {
  // 25 slots work off a lease of a minute in three rounds.
  const cases: readonly (readonly [figure: string, reportEveryMs: number])[] = [
    ['per million chunks, leases of about 50', 60_000],
    ['the same, with progress every second', 1_000],
  ];
  return cases.map(([figure, reportEveryMs]) => {
    const counts = noCounts();
    const job = simulatedJob(0, rangeOf(0, 500_000), 10);
    runCell(cellIdOf('default.0'), [job], { ...options, chunkMs: 20_000, reportEveryMs }, counts);
    return perMillion(figure, counts);
  });
}

function perMillion(figure: string, counts: Counts): Figures {
  const each = (amount: number) => Math.round((amount / counts.chunks) * 1_000_000);
  return {
    figure,
    chunksPerLease: Math.round(counts.chunks / counts.leases),
    leases: each(counts.leases),
    tableWrites: each(counts.tableWrites),
    shadowUpdates: each(counts.shadowUpdates),
    messages: each(counts.messages),
    passes: each(counts.passes),
    dollars: Number(((dollars(counts) / counts.chunks) * 1_000_000).toFixed(4)),
    dollarsGoal: 0.25,
  };
}

/** Each submit sees what the ones before left waiting. */
function submitAll(cells: number, jobs: number): Map<CellId, CellJob[]> {
  const power = fleet.edgesPerCell * edgePower;
  const backlog = new Map<CellId, number>();
  const slices = new Map<CellId, CellJob[]>();
  for (let i = 0; i < cells; i++) {
    backlog.set(cellIdOf(`default.${i}`), 0);
    slices.set(cellIdOf(`default.${i}`), []);
  }
  for (let i = 0; i < jobs; i++) {
    const { intent } = simulatedJob(i, rangeOf(0, fleet.chunks), 1);
    const offers: CellOffer[] = [...backlog].map(([id, backlogPower]) => ({
      id,
      pool: 'default',
      summary: {
        ...emptySummary,
        edges: { ...emptySummary.edges, total: fleet.edgesPerCell, connected: fleet.edgesPerCell },
        power: { total: power, free: power, reserved: 0, served: 0 },
        backlogPower,
        largestEdgePower: edgePower,
      },
    }));
    const spec = {
      pool: 'default',
      requires: intent.spec.requires,
      placement: intent.spec.placement,
    };
    for (const { cell, ranges } of chooseCells(offers, { chunking: intent.chunking, spec })) {
      slices.get(cell)!.push(simulatedJob(i, ranges, 1));
      backlog.set(cell, backlog.get(cell)! + count(ranges));
    }
  }
  return slices;
}

function simulatedJob(index: number, ranges: RangeSet, chunkPower: number): CellJob {
  const run = { simulate: { wattSeconds: 1 } };
  return jobOf(index, { queue: 'default', run, chunks: fleet.chunks, chunkPower, ranges });
}
