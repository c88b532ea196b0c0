import type { CellSummary } from '../model/cell-summary.ts';
import type { Chunking, JobSpec } from '../model/job.ts';
import {
  cellEdgesMax,
  cellsPerJobMax,
  movesMax,
  summaryLabelsMax,
  wavesPerCellMax,
} from '../model/limits.ts';
import { type CellId, compareCells, indexOfCell, makeCellId } from '../model/names.ts';
import { emptyRanges, isEmpty, type RangeSet, rangeOf, take } from '../model/ranges.ts';
import { namedValue } from '../protocol/named-values.ts';
import { divide, type Places } from '../scheduler/divide.ts';

/**
 * Choices between cells, by their stored summaries: which cells get a new job, which cell gets a
 * new edge, and what moves from a full cell to an idle one. Summaries may be a little old; a wrong
 * choice waits longer, nothing breaks.
 */
export type CellOffer = {
  readonly id: CellId;
  readonly pool: string;
  readonly summary: CellSummary;
};

export type CellSlice = { readonly cell: CellId; readonly ranges: RangeSet };

type Asked = {
  readonly chunking: Chunking;
  readonly spec: Pick<JobSpec, 'pool' | 'requires' | 'placement' | 'restart' | 'everywhere'>;
  /** Cells of the edges that the job names; all others are out. */
  readonly namedCells?: ReadonlySet<CellId>;
};

/**
 * The cells that share a new job: one with room for all of it if there is one, otherwise as many of
 * the freest as are needed, filled to the same level. A gang, or a job that limits its edges, stays
 * in one cell; one that runs everywhere is in every cell that has an edge. When no cell suits, the
 * job waits in the pool's most likely one; a pool without cells gets its first.
 */
export function chooseCells(offers: readonly CellOffer[], job: Asked): readonly CellSlice[] {
  const pool = offers.filter((offer) => offer.pool === job.spec.pool);
  const chunks = rangeOf(0, job.chunking.chunks);
  if (pool.length === 0) return [{ cell: makeCellId(job.spec.pool, 0), ranges: chunks }];
  if (job.spec.everywhere !== undefined) return everyCell(pool, job);
  const suited = pool.filter((offer) => suits(offer, job));
  const living = pool.filter(({ summary }) => summary.edges.connected > 0);
  const candidates = suited.length > 0 ? suited : living.length > 0 ? living : pool;
  const freest = [...candidates].sort(byFreePower);
  const { maxEdges, nodes } = job.spec.placement;
  // A service is scaled by its cell, which therefore has all of it.
  const whole = maxEdges !== null || nodes !== null || job.spec.restart !== undefined;
  const chosen = whole ? freest.slice(0, 1) : enough(freest, job.chunking);
  if (whole) return [{ cell: chosen[0]!.id, ranges: chunks }];
  return divideOver(chosen, chunks, job.chunking);
}

/** The first ones; the others follow by and by (`spread.ts`). */
function everyCell(pool: readonly CellOffer[], { namedCells }: Asked): readonly CellSlice[] {
  const inhabited = pool.filter(({ id, summary }) =>
    namedCells === undefined ? summary.edges.total > 0 : namedCells.has(id),
  );
  const cells = [...(inhabited.length > 0 ? inhabited : pool)].sort((a, b) =>
    compareCells(a.id, b.id),
  );
  const most = inhabited.length > 0 ? cellsPerJobMax : 1;
  return cells.slice(0, most).map(({ id }) => ({ cell: id, ranges: emptyRanges }));
}

function suits({ id, summary }: CellOffer, { chunking, spec, namedCells }: Asked): boolean {
  if (namedCells !== undefined) return namedCells.has(id);
  if (summary.edges.connected === 0) return false;
  if (summary.largestEdgePower < Math.max(chunking.chunkPower, chunking.lastChunkPower))
    return false;
  for (const key in spec.requires.labels) {
    const values = namedValue(summary.labels, key);
    if (values === undefined || values === null) {
      // Only a complete list of keys proves that nobody has this one.
      if (values === undefined && Object.keys(summary.labels).length < summaryLabelsMax) {
        return false;
      }
    } else if (!values.includes(spec.requires.labels[key]!)) return false;
  }
  return true;
}

/** Power that a new job would find: free, less what waits already. */
function freePower({ summary }: CellOffer): number {
  return summary.power.free - summary.backlogPower;
}

function byFreePower(a: CellOffer, b: CellOffer): number {
  return freePower(b) - freePower(a) || (a.id < b.id ? -1 : 1);
}

/**
 * The freest cells that have room for all chunks now. Where the fleet has not that much, all cells
 * with something free, and at least so many that none gets more than some waves of the job:
 * spreading it further would not end it sooner, but cut its leases short.
 */
function enough(freest: readonly CellOffer[], chunking: Chunking): readonly CellOffer[] {
  let room = 0;
  let lasting = 0;
  let cells = 0;
  for (const offer of freest.slice(0, cellsPerJobMax)) {
    const free = freePower(offer);
    if (room >= chunking.chunks || (free <= 0 && lasting >= chunking.chunks)) break;
    room += Math.max(0, Math.floor(free / chunking.chunkPower));
    lasting += Math.floor(offer.summary.power.total / chunking.chunkPower) * wavesPerCellMax;
    cells++;
  }
  return freest.slice(0, cells);
}

function divideOver(
  offers: readonly CellOffer[],
  chunks: RangeSet,
  chunking: Chunking,
): readonly CellSlice[] {
  const { chunks: slices } = divide(chunking.chunks, placesOf(offers, chunking));
  const out: CellSlice[] = [];
  let rest = chunks;
  for (let i = 0; i < offers.length; i++) {
    const { taken, rest: after } = take(rest, slices[i]!);
    if (!isEmpty(taken)) out.push({ cell: offers[i]!.id, ranges: taken });
    rest = after;
  }
  return out;
}

/**
 * Cells as places: full is when what is reserved and waits is all the power there is; they take
 * more than that.
 */
function placesOf(offers: readonly CellOffer[], chunking: Chunking): Places {
  const fit = new Int32Array(offers.length).fill(chunking.chunks);
  const load = new Float64Array(offers.length);
  const room = new Float64Array(offers.length);
  for (let i = 0; i < offers.length; i++) {
    const { power, backlogPower } = offers[i]!.summary;
    const total = Math.max(power.total, 1);
    load[i] = (power.reserved + backlogPower) / total;
    room[i] = total / chunking.chunkPower;
  }
  return { fit, load, room };
}

/** How many edges a cell of the pool has now, as registration counts them. */
export type CellFill = { readonly id: CellId; readonly edges: number };

/** Fills cells in order, so that few are open; a full pool opens the next one. */
export function chooseCellForEdge(pool: string, cells: readonly CellFill[]): CellId {
  let next = 0;
  let best: { index: number; id: CellId } | null = null;
  for (const { id, edges } of cells) {
    const index = indexOfCell(id);
    next = Math.max(next, index + 1);
    if (edges < cellEdgesMax && (best === null || index < best.index)) best = { index, id };
  }
  return best?.id ?? makeCellId(pool, next);
}

export type CellMove = {
  readonly from: CellId;
  readonly to: CellId;
  readonly power: number;
  /** Of jobs that no edge of the cell is of the right kind for; otherwise of any that wait. */
  readonly stranded: boolean;
};

/**
 * Waiting power that should move: from cells whose backlog exceeds what they have free, to cells of
 * the same pool with nothing waiting and room, the needs of the fullest first; and from cells that
 * have no edge of the right kind, to the others of the pool in turn, since their summaries do not
 * say what kinds they have. Each cell takes part in one move.
 */
export function planMoves(offers: readonly CellOffer[], turn: number): readonly CellMove[] {
  const moves = movesToIdle(offers);
  const taken = new Set(moves.flatMap(({ from, to }) => [from, to]));
  for (const from of offers) {
    if (moves.length >= movesMax) break;
    const { strandedPower: power } = from.summary;
    if (power === 0 || taken.has(from.id)) continue;
    const others = offers.filter(
      ({ id, pool, summary }) =>
        pool === from.pool && id !== from.id && !taken.has(id) && summary.edges.total > 0,
    );
    const to = others[turn % Math.max(1, others.length)];
    if (to === undefined) continue;
    moves.push({ from: from.id, to: to.id, power, stranded: true });
    taken.add(from.id).add(to.id);
  }
  return moves;
}

function movesToIdle(offers: readonly CellOffer[]): CellMove[] {
  const full = offers.filter((offer) => excess(offer) > 0).sort((a, b) => excess(b) - excess(a));
  const idle = new Set(
    [...offers].sort(byFreePower).filter(({ summary }) => {
      return summary.backlogPower === 0 && summary.power.free > 0 && summary.edges.connected > 0;
    }),
  );
  const moves: CellMove[] = [];
  for (const from of full) {
    if (moves.length >= movesMax) break;
    for (const to of idle) {
      if (to.pool !== from.pool) continue;
      moves.push({ from: from.id, to: to.id, power: evenPart(from, to), stranded: false });
      idle.delete(to);
      break;
    }
  }
  return moves;
}

/** Backlog that the cell could run, and cannot start with what it has free. */
function excess({ summary }: CellOffer): number {
  return summary.backlogPower - summary.strandedPower - summary.power.free;
}

/**
 * What makes both wait equally long for their size, and at least what the idle one could start at
 * once.
 */
function evenPart(from: CellOffer, to: CellOffer): number {
  const [a, b] = [from.summary.power.total, to.summary.power.total];
  const even = Math.floor((excess(from) * b) / Math.max(a + b, 1));
  return Math.min(excess(from), Math.max(even, to.summary.power.free));
}
