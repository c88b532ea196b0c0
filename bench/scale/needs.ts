import { cellEdgesMax, idleTickEveryMs } from '../../core/model/limits.ts';
import { cellIdOf } from '../../core/model/names.ts';
import { rangeOf } from '../../core/model/ranges.ts';
import { factsAgainMs, idleReportEveryMs } from '../../edge-agent/limits.ts';
import { type Counts, dollars, noCounts, prices } from '../core/bill.ts';
import { runCell } from '../core/cell-run.ts';
import { equalEdges, jobOf } from '../core/measured-cell.ts';
import { type Quota, quotas } from './quotas.ts';

/**
 * What a fleet asks of AWS in a second, and what it costs in a month: idle, from how often edges
 * and the minute speak by themselves; busy, from what the scheduler really does in a full cell
 * whose edges all work all the time. Edges of different cells know nothing of each other, so a
 * fleet is its cells, added up.
 */
export type Needs = {
  readonly perSecond: ReadonlyMap<Quota['name'], number>;
  readonly dollarsPerMonth: number;
};

/** 730 hours, as AWS counts a month. */
const monthSeconds = 730 * 3_600;
/** As the agent subscribes: changes of its work, and answers to what it asks. */
const subscriptionsPerEdge = 5;
/** A batch of the queue of reports, and what a function that takes it in, or a pass, takes. */
const reportsPerBatch = 10;
const functionSeconds = 0.02;
/** What lies in the table for an idle edge: its rows in the cell, its name and its facts. */
const edgeBytes = 4_000;
const pieces = 1_000_000;

/** Edges that all work all the time, each in so many slots; only how long a chunk takes differs. */
const slots = 25;
export const busyCells = {
  short: { chunkSeconds: 20, chunks: 62_500 },
  long: { chunkSeconds: 600, chunks: 12_500 },
} as const;

export type BusyCell = (typeof busyCells)[keyof typeof busyCells];

/** Counts of one second of one edge. */
export type Rates = Readonly<Record<keyof Counts, number>>;

export function idleRates(): Rates {
  const said = 1_000 / idleReportEveryMs + 1_000 / Math.max(factsAgainMs, idleReportEveryMs);
  const looked = 1_000 / idleTickEveryMs / cellEdgesMax;
  const passes = said + looked;
  const cellReadUnits = Math.ceil((cellEdgesMax * 1_000) / 4_096);
  const minute = 1 / 60 / cellEdgesMax;
  return {
    ...noCounts(),
    reports: said,
    shadowUpdates: said,
    messages: said,
    passes,
    tableWrites: said + 2 * looked,
    writeUnits: said + 2 * looked,
    // A pass reads its cell, and the minute the first row of each.
    readUnits: passes * cellReadUnits + minute,
  };
}

/**
 * From the simulation of one cell, with the decisions that are shipped: what a job of twice as many
 * chunks costs more, so that neither its beginning nor its end counts.
 */
export function busyRates(busy: BusyCell): Rates {
  const once = countsOf(busy, busy.chunks);
  const twice = countsOf(busy, 2 * busy.chunks);
  const edgeSeconds = (busy.chunks * busy.chunkSeconds) / slots;
  const names = Object.keys(once) as (keyof Counts)[];
  return Object.fromEntries(names.map((it) => [it, (twice[it] - once[it]) / edgeSeconds])) as Rates;
}

function countsOf({ chunkSeconds }: BusyCell, chunks: number): Counts {
  const counts = noCounts();
  const run = { simulate: { wattSeconds: 1 } };
  const ranges = rangeOf(0, chunks);
  const job = jobOf(0, { queue: 'default', run, chunks, chunkPower: 10, ranges });
  const options = {
    edges: equalEdges(cellEdgesMax, slots * 10),
    chunkMs: chunkSeconds * 1_000,
    reportEveryMs: 60_000,
  };
  runCell(cellIdOf('default.0'), [job], options, counts);
  return counts;
}

export function needsOf(edges: number, rates: Rates): Needs {
  const each = (rate: number): number => rate * edges;
  const { tablePartitionsFirst, tablePartitionWritesPerSecond } = quotas;
  const writes = each(rates.writeUnits);
  const passing = each(rates.passes) * functionSeconds;
  const takingIn = (each(rates.reports) / reportsPerBatch) * functionSeconds;
  const shadows = each(rates.reports + rates.leases);
  const partitions = Math.max(
    tablePartitionsFirst,
    Math.ceil(writes / tablePartitionWritesPerSecond),
  );
  return {
    perSecond: new Map<Quota['name'], number>([
      ['iotConnections', edges],
      ['iotSubscriptions', edges * subscriptionsPerEdge],
      ['shadowRequests', shadows],
      ['inboundPublishes', 4 * shadows],
      ['ruleEvaluations', each(rates.reports)],
      ['tableWrites', writes],
      ['tableReads', each(rates.readUnits)],
      ['lambdaConcurrency', passing + takingIn],
      ['reportFunctions', takingIn],
      ['streamReaders', passing / partitions],
    ]),
    dollarsPerMonth: monthOf(edges, rates),
  };
}

function monthOf(edges: number, rates: Rates): number {
  const names = Object.keys(rates) as (keyof Counts)[];
  const counts = Object.fromEntries(
    names.map((it) => [it, rates[it] * edges * monthSeconds]),
  ) as Counts;
  const minutes = (edges * monthSeconds) / 60;
  const stored = ((edges * edgeBytes) / 1_024 ** 3) * prices.dynamodbGigabyteMonthDollars!;
  return dollars(counts) + (minutes / pieces) * prices.iotConnectedMinute! + stored;
}
