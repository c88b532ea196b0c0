import { divide, type Places } from '../../core/scheduler/divide.ts';
import type { Figures } from '../run.ts';
import { medianOf } from './timing.ts';

/**
 * One job of a million chunks on a hundred thousand edges, spread: the core's division against two
 * placements that handle each chunk by itself, a binary heap and buckets by utilisation. All start
 * from the same columns and end with the chunks of every edge; all results are checked to be the
 * same spread.
 */
const edgesCount = 100_000;
const chunksCount = 1_000_000;
const chunkPower = 10;

/** Columns that all three start from: what the division takes, and the amounts behind it. */
type Fleet = Places & { readonly capacity: Float64Array; readonly free: Float64Array };

export function measurePlacement(): readonly Figures[] {
  const fleet = makeFleet();
  const ours = medianOf(() => byDivision(fleet));
  const heap = medianOf(() => byHeap(fleet));
  const bucket = medianOf(() => byBuckets(fleet));
  const best = highest(fleet, heap.result);
  for (const [name, result] of [
    ['division', ours.result],
    ['buckets', bucket.result],
  ] as const) {
    check(name, fleet, result, best);
  }
  const baseline = Math.min(heap.ms, bucket.ms);
  return [
    { figure: 'placement by division', ms: ours.ms, chunksPerSecond: rate(ours.ms) },
    { figure: 'placement by heap, per chunk', ms: heap.ms, chunksPerSecond: rate(heap.ms) },
    { figure: 'placement by buckets, per chunk', ms: bucket.ms, chunksPerSecond: rate(bucket.ms) },
    { figure: 'placement, times the better baseline', ratio: baseline / ours.ms, goal: 20 },
  ];
}

function rate(ms: number): number {
  return Math.round((chunksCount / ms) * 1000);
}

/**
 * Three sizes of edge, each partly in use; a fixed sequence, so that every run measures the same.
 */
function makeFleet(): Fleet {
  const capacity = new Float64Array(edgesCount);
  const free = new Float64Array(edgesCount);
  let state = 12_345;
  for (let i = 0; i < edgesCount; i++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    capacity[i] = [150, 250, 600][i % 3]!;
    free[i] = Math.floor(capacity[i]! * (0.5 + (state / 2 ** 32) * 0.5));
  }
  return {
    capacity,
    free,
    fit: Int32Array.from(free, (amount) => Math.floor(amount / chunkPower)),
    load: Float64Array.from(free, (amount, i) => 1 - amount / capacity[i]!),
    room: Float64Array.from(capacity, (amount) => amount / chunkPower),
  };
}

/** How many chunks each edge got, and which: by edge the first one, or by chunk the edge. */
type Placement = { readonly counts: Int32Array; readonly chunks: Int32Array };

function byDivision(fleet: Fleet): Placement {
  const { chunks } = divide(chunksCount, fleet);
  const starts = new Int32Array(edgesCount);
  let at = 0;
  for (let i = 0; i < edgesCount; i++) {
    starts[i] = at;
    at += chunks[i]!;
  }
  return { counts: chunks, chunks: starts };
}

/**
 * The edge whose utilisation would be lowest comes first; every chunk takes the top and sinks it.
 */
function byHeap({ capacity, free }: Fleet): Placement {
  const key = new Float64Array(edgesCount);
  const heap = new Int32Array(edgesCount);
  const counts = new Int32Array(edgesCount);
  const chunkOf = new Int32Array(chunksCount);
  let size = 0;
  for (let i = 0; i < edgesCount; i++) {
    if (free[i]! < chunkPower) continue;
    key[i] = (capacity[i]! - free[i]! + chunkPower) / capacity[i]!;
    heap[size++] = i;
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
    chunkOf[chunk] = edge;
    counts[edge]!++;
    key[edge] = key[edge]! + chunkPower / capacity[edge]!;
    if ((counts[edge]! + 1) * chunkPower > free[edge]!) heap[0] = heap[--size]!;
    sink(0);
  }
  return { counts, chunks: chunkOf };
}

const bucketsCount = 4_096;

/**
 * Edges wait in buckets by the utilisation that one more chunk would give; every chunk takes from
 * the lowest.
 */
function byBuckets({ capacity, free }: Fleet): Placement {
  const next = new Int32Array(edgesCount).fill(-1);
  const heads = new Int32Array(bucketsCount + 1).fill(-1);
  const counts = new Int32Array(edgesCount);
  const chunkOf = new Int32Array(chunksCount);
  const level = new Float64Array(edgesCount);
  const step = new Float64Array(edgesCount);
  for (let i = edgesCount - 1; i >= 0; i--) {
    if (free[i]! < chunkPower) continue;
    step[i] = (chunkPower / capacity[i]!) * bucketsCount;
    level[i] = ((capacity[i]! - free[i]!) / capacity[i]!) * bucketsCount + step[i]!;
    const bucket = level[i]! | 0;
    next[i] = heads[bucket]!;
    heads[bucket] = i;
  }
  let lowest = 0;
  for (let chunk = 0; chunk < chunksCount; chunk++) {
    while (lowest <= bucketsCount && heads[lowest] === -1) lowest++;
    if (lowest > bucketsCount) break;
    const edge = heads[lowest]!;
    heads[lowest] = next[edge]!;
    chunkOf[chunk] = edge;
    counts[edge]!++;
    if ((counts[edge]! + 1) * chunkPower > free[edge]!) continue;
    level[edge] = level[edge]! + step[edge]!;
    const bucket = level[edge]! | 0;
    next[edge] = heads[bucket]!;
    heads[bucket] = edge;
  }
  return { counts, chunks: chunkOf };
}

function highest({ capacity, free }: Fleet, { counts }: Placement): number {
  let level = 0;
  for (let i = 0; i < edgesCount; i++) {
    if (counts[i] === 0) continue;
    level = Math.max(level, 1 - (free[i]! - counts[i]! * chunkPower) / capacity[i]!);
  }
  return level;
}

/**
 * All chunks placed, nothing over capacity, and as level as the heap up to one chunk of the
 * smallest edge.
 */
function check(name: string, fleet: Fleet, placement: Placement, best: number): void {
  let placed = 0;
  placement.counts.forEach((count, i) => {
    placed += count;
    if (count * chunkPower > fleet.free[i]!) throw new Error(`${name} overfills edge ${i}`);
  });
  if (placed !== chunksCount) throw new Error(`${name} placed ${placed} chunks`);
  const level = highest(fleet, placement);
  if (level > best + chunkPower / 150) throw new Error(`${name} reaches ${level}, not ${best}`);
}
