import { emptyRanges } from '../../core/model/ranges.ts';
import { divide, type Places } from '../../core/scheduler/divide.ts';
import { mismatchOf } from '../../core/scheduler/matching.ts';
import type { Figures } from '../run.ts';
import { jobOf } from './measured-cell.ts';
import { shapedEdges, shapes, shapesCount } from './shapes.ts';
import { medianOf } from './timing.ts';

/**
 * Placement where edges are of a hundred shapes and chunks ask for three resources and for certain
 * hardware: the core's division against placements that handle each chunk by itself, a heap and
 * buckets. All start from the same columns, ask the core which shapes match, and end with the
 * chunks of every edge; all results are checked to be the same spread.
 */
const edgesCount = 100_000;
const chunksCount = 1_000_000;
const needs = { power: 10, cpus: 4, memoryMb: 2_048 };
const resources = ['power', 'cpus', 'memoryMb'] as const;

type Columns = {
  readonly shape: Int32Array;
  readonly capacity: readonly Float64Array[];
  readonly free: readonly Float64Array[];
};

export function measureShapedPlacement(): readonly Figures[] {
  const fleet = makeColumns();
  const ours = medianOf(() => divide(chunksCount, placesIn(fleet)).chunks);
  const heap = medianOf(() => byHeap(fleet));
  const buckets = medianOf(() => byBuckets(fleet));
  const best = levelOf(fleet, heap.result);
  check('heap', fleet, heap.result, best);
  check('division', fleet, ours.result, best);
  check('buckets', fleet, buckets.result, best);
  const baseline = Math.min(heap.ms, buckets.ms);
  return [
    { figure: '100 shapes, three resources: by division, with matching', ms: ours.ms },
    { figure: '100 shapes: by heap, per chunk, with matching', ms: heap.ms },
    { figure: '100 shapes: by buckets, per chunk, with matching', ms: buckets.ms },
    { figure: '100 shapes, times the better baseline', ratio: baseline / ours.ms, goal: 20 },
  ];
}

/** Each partly in use; a fixed sequence, so that every run measures the same. */
function makeColumns(): Columns {
  let state = 12_345;
  const random = (): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state / 2 ** 32;
  };
  const shape = Int32Array.from({ length: edgesCount }, (_, edge) => edge % shapesCount);
  const capacity = resources.map((name) =>
    Float64Array.from(shape, (at) => shapes[at]!.capacity[name]),
  );
  const free = capacity.map((all) =>
    all.map((amount) => Math.floor(amount * (0.5 + random() / 2))),
  );
  return { shape, capacity, free };
}

/** By shape: of the hundred, those that have the hardware. */
function matching(): Uint8Array {
  const job = jobOf(0, {
    queue: 'default',
    run: { simulate: { wattSeconds: 1 } },
    chunks: chunksCount,
    chunkPower: needs.power,
    ranges: emptyRanges,
    hardware: ['h0', 'h1', 'h2'],
  });
  const { spec } = job.intent;
  return Uint8Array.from(shapedEdges(shapesCount, 0), (edge) =>
    mismatchOf(edge, spec) === null ? 1 : 0,
  );
}

/**
 * The edges that match as places: how many chunks fit, and how full they are of the resource of
 * which one chunk takes the largest part.
 */
function placesIn({ shape, capacity, free }: Columns): Places {
  const matches = matching();
  const fit = new Int32Array(edgesCount);
  const load = new Float64Array(edgesCount);
  const room = new Float64Array(edgesCount);
  const [powers, cpus, memories] = capacity as [Float64Array, Float64Array, Float64Array];
  const [freePower, freeCpus, freeMemory] = free as [Float64Array, Float64Array, Float64Array];
  for (let edge = 0; edge < edgesCount; edge++) {
    if (matches[shape[edge]!] === 0) continue;
    const byPower = freePower[edge]! / needs.power;
    const byCpus = freeCpus[edge]! / needs.cpus;
    const byMemory = freeMemory[edge]! / needs.memoryMb;
    fit[edge] = Math.min(byPower, byCpus, byMemory) | 0;
    let most = powers[edge]! / needs.power;
    let left = byPower;
    const mostCpus = cpus[edge]! / needs.cpus;
    if (mostCpus < most) [most, left] = [mostCpus, byCpus];
    const mostMemory = memories[edge]! / needs.memoryMb;
    if (mostMemory < most) [most, left] = [mostMemory, byMemory];
    room[edge] = most;
    load[edge] = 1 - left / most;
  }
  return { fit, load, room };
}

/** What is left of each resource, chunk by chunk. */
class Remaining {
  readonly #free: readonly Float64Array[];

  constructor({ free }: Columns) {
    this.#free = free.map((amounts) => amounts.slice());
  }

  fits(edge: number): boolean {
    const [power, cpus, memory] = this.#free as [Float64Array, Float64Array, Float64Array];
    return (
      power[edge]! >= needs.power && cpus[edge]! >= needs.cpus && memory[edge]! >= needs.memoryMb
    );
  }

  take(edge: number): void {
    const [power, cpus, memory] = this.#free as [Float64Array, Float64Array, Float64Array];
    power[edge]! -= needs.power;
    cpus[edge]! -= needs.cpus;
    memory[edge]! -= needs.memoryMb;
  }
}

/**
 * The edge that one more chunk would fill least comes first; every chunk takes the top and sinks
 * it.
 */
function byHeap(fleet: Columns): Int32Array {
  const matches = matching();
  const { load, room } = placesIn(fleet);
  const remaining = new Remaining(fleet);
  const key = new Float64Array(edgesCount);
  const heap = new Int32Array(edgesCount);
  const counts = new Int32Array(edgesCount);
  let size = 0;
  for (let edge = 0; edge < edgesCount; edge++) {
    if (matches[fleet.shape[edge]!] === 0 || !remaining.fits(edge)) continue;
    key[edge] = load[edge]! + 1 / room[edge]!;
    heap[size++] = edge;
  }
  const sink = (from: number) => {
    const edge = heap[from]!;
    let at = from;
    for (let child = 2 * at + 1; child < size; child = 2 * at + 1) {
      if (child + 1 < size && key[heap[child + 1]!]! < key[heap[child]!]!) child++;
      if (key[heap[child]!]! >= key[edge]!) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = edge;
  };
  for (let at = (size >> 1) - 1; at >= 0; at--) sink(at);
  for (let chunk = 0; chunk < chunksCount && size > 0; chunk++) {
    const edge = heap[0]!;
    counts[edge]!++;
    remaining.take(edge);
    key[edge] = key[edge]! + 1 / room[edge]!;
    if (!remaining.fits(edge)) heap[0] = heap[--size]!;
    sink(0);
  }
  return counts;
}

const bucketsCount = 4_096;

/** Edges wait in buckets by how full one more chunk would make them; the lowest is taken from. */
function byBuckets(fleet: Columns): Int32Array {
  const matches = matching();
  const { load, room } = placesIn(fleet);
  const remaining = new Remaining(fleet);
  const next = new Int32Array(edgesCount).fill(-1);
  const heads = new Int32Array(bucketsCount + 1).fill(-1);
  const level = new Float64Array(edgesCount);
  const counts = new Int32Array(edgesCount);
  const put = (edge: number): void => {
    const bucket = level[edge]! | 0;
    next[edge] = heads[bucket]!;
    heads[bucket] = edge;
  };
  for (let edge = edgesCount - 1; edge >= 0; edge--) {
    if (matches[fleet.shape[edge]!] === 0 || !remaining.fits(edge)) continue;
    level[edge] = (load[edge]! + 1 / room[edge]!) * bucketsCount;
    put(edge);
  }
  let lowest = 0;
  for (let chunk = 0; chunk < chunksCount; chunk++) {
    while (lowest <= bucketsCount && heads[lowest] === -1) lowest++;
    if (lowest > bucketsCount) break;
    const edge = heads[lowest]!;
    heads[lowest] = next[edge]!;
    counts[edge]!++;
    remaining.take(edge);
    if (!remaining.fits(edge)) continue;
    level[edge]! += bucketsCount / room[edge]!;
    put(edge);
  }
  return counts;
}

function levelOf(fleet: Columns, counts: Int32Array): number {
  const { load, room } = placesIn(fleet);
  let level = 0;
  counts.forEach((count, edge) => {
    if (count > 0) level = Math.max(level, load[edge]! + count / room[edge]!);
  });
  return level;
}

/** The smallest room of a shape: what one chunk is of it is how far results may differ. */
const roomMin = 15;

function check(name: string, fleet: Columns, counts: Int32Array, best: number): void {
  const { fit } = placesIn(fleet);
  let placed = 0;
  counts.forEach((count, edge) => {
    placed += count;
    if (count > fit[edge]!) throw new Error(`${name} overfills edge ${edge}`);
  });
  if (placed !== chunksCount) throw new Error(`${name} placed ${placed} chunks`);
  const level = levelOf(fleet, counts);
  if (level > best + 1 / roomMin) throw new Error(`${name} reaches ${level}, not ${best}`);
}
