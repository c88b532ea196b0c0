import { type CellOffer, chooseCells } from '../../core/fleet/choose-cells.ts';
import type { CellEdge, CellJob } from '../../core/model/cell.ts';
import { cellEdgesMax } from '../../core/model/limits.ts';
import { type CellId, cellIdOf } from '../../core/model/names.ts';
import { count, type RangeSet, rangeOf } from '../../core/model/ranges.ts';
import { applyPlan } from '../../core/scheduler/apply-plan.ts';
import { reconcile } from '../../core/scheduler/reconcile.ts';
import type { Figures } from '../run.ts';
import { dollars, noCounts } from './bill.ts';
import { runCell } from './cell-run.ts';
import { jobOf, openCell } from './measured-cell.ts';
import { shapedEdges, zonesCount } from './shapes.ts';

/**
 * A fleet of a million edges of a hundred shapes in 4,000 cells, and a thousand jobs of ten million
 * chunks that ask for three resources and, every second one, for a zone: from submit to the last
 * chunk on one core.
 */
const chunksPerJob = 10_000_000;
const chunkMs = 2_000;
const reportEveryMs = 60_000;
/** The choice must not be what a submit waits for. */
const chooseMsGoal = 5;

export type LargeFleet = { readonly cells: number; readonly jobs: number };

export const largeFleet: LargeFleet = { cells: 4_000, jobs: 1_000 };

export function measureLargeFleet({ cells, jobs }: LargeFleet): readonly Figures[] {
  const offers = Array.from({ length: cells }, (_, at) => offerOf(at));
  const { slices, chooseMs } = submitAll(offers, jobs);
  const counts = noCounts();
  const start = process.cpuUsage();
  const startMs = performance.now();
  for (const [at, { id }] of offers.entries()) {
    runCell(id, slices.get(id) ?? [], { edges: edgesOf(at), chunkMs, reportEveryMs }, counts);
  }
  const { user, system } = process.cpuUsage(start);
  const expected = jobs * chunksPerJob;
  if (counts.chunks !== expected) throw new Error(`${counts.chunks} of ${expected} chunks ended`);
  const sorted = chooseMs.sort((a, b) => a - b);
  return [
    {
      figure: `submit chooses among ${cells} cells, median`,
      ms: sorted[Math.floor(sorted.length / 2)]!,
      msMax: sorted.at(-1)!,
      goal: chooseMsGoal,
    },
    {
      figure: `${cells * cellEdgesMax} edges of 100 shapes in ${cells} cells, ${jobs} jobs`,
      chunks: counts.chunks,
      cpuSeconds: (user + system) / 1_000_000,
      seconds: (performance.now() - startMs) / 1000,
      secondsGoal: 1_800,
      memoryMaxGigabytes: process.resourceUsage().maxRSS / 1024 / 1024,
      memoryGoalGigabytes: 8,
      chunksPerLease: Math.round(counts.chunks / counts.leases),
      dollarsPerMillion: Number(((dollars(counts) / counts.chunks) * 1_000_000).toFixed(4)),
    },
  ];
}

function edgesOf(cell: number): readonly CellEdge[] {
  return shapedEdges(cellEdgesMax, cell * cellEdgesMax);
}

/** As its cell says of itself after a pass without jobs. */
function offerOf(at: number): CellOffer {
  const id = cellIdOf(`default.${at}`);
  const empty = openCell(id, edgesOf(at), []);
  const { meta } = applyPlan(empty, reconcile(empty, 0));
  return { id, pool: 'default', summary: meta.summary };
}

/** Each submit sees what the ones before left waiting. */
function submitAll(first: readonly CellOffer[], jobs: number) {
  const slices = new Map<CellId, CellJob[]>(first.map(({ id }) => [id, []]));
  const offers = new Map(first.map((offer) => [offer.id, offer]));
  const chooseMs: number[] = [];
  for (let index = 0; index < jobs; index++) {
    const { intent } = shapedJob(index, rangeOf(0, chunksPerJob));
    const { requires, placement } = intent.spec;
    const asked = { chunking: intent.chunking, spec: { pool: 'default', requires, placement } };
    const known = [...offers.values()];
    const startMs = performance.now();
    const chosen = chooseCells(known, asked);
    chooseMs.push(performance.now() - startMs);
    for (const { cell, ranges } of chosen) {
      slices.get(cell)!.push(shapedJob(index, ranges));
      const offer = offers.get(cell)!;
      const { summary } = offer;
      const backlogPower = summary.backlogPower + count(ranges) * intent.chunking.chunkPower;
      offers.set(cell, { ...offer, summary: { ...summary, backlogPower } });
    }
  }
  return { slices, chooseMs };
}

function shapedJob(index: number, ranges: RangeSet): CellJob {
  return jobOf(index, {
    queue: 'default',
    run: { simulate: { wattSeconds: 1 } },
    chunks: chunksPerJob,
    chunkPower: 1 + (index % 3),
    ranges,
    resources: { cpus: 1, memoryMb: 512 },
    labels: index % 2 === 0 ? {} : { zone: `z${Math.floor(index / 2) % zonesCount}` },
  });
}
