import { divideBucketsMax, divideSweepsMax } from '../model/limits.ts';

/**
 * Divides a number of equal chunks over places so that all are filled to the same level:
 * water-filling.
 *
 * Used for slots over edges and for a job's chunks over cells. It counts, it does not enumerate:
 * the cost grows with the number of places and not with the number of chunks. Places are columns,
 * so that a hundred thousand of them are a few sweeps over flat arrays.
 */
export type Places = {
  /** How many chunks each place can still take. */
  readonly fit: Int32Array;
  /** How full each place is now; 1 is full. */
  readonly load: Float64Array;
  /** How many chunks fill a place from 0 to 1. */
  readonly room: Float64Array;
};

export type Division = { readonly placed: number; readonly chunks: Int32Array };

/** No place ends more than one chunk above the lowest level that any division could reach. */
export function divide(wanted: number, places: Places): Division {
  const { fit } = places;
  let total = 0;
  for (let i = 0; i < fit.length; i++) total += fit[i]!;
  if (wanted >= total) return { placed: total, chunks: Int32Array.from(fit) };
  const chunks = new Int32Array(fit.length);
  if (wanted > 0) fill(wanted, places, chunks);
  return { placed: Math.max(0, wanted), chunks };
}

/**
 * Whole chunks up to a level, then at most one more for each place that the level cuts through. The
 * level need not be exact for that, so of many places it is first looked for in a sample, and only
 * when it does not serve in all of them.
 */
function fill(wanted: number, places: Places, chunks: Int32Array): void {
  const sampled = places.fit.length > sampleAbove;
  let level = levelFor(wanted, places, sampled ? sampleStride : 1);
  let rest = wanted - fillTo(level, places, chunks);
  if (sampled) {
    if (rest >= 0) rest = giveInOrder(rest, level, places, chunks);
    if (rest === 0) return;
    level = levelFor(wanted, places, 1);
    rest = wanted - fillTo(level, places, chunks);
  }
  topOff(giveLowest(rest, level, places, chunks), places, chunks);
}

const sampleAbove = 4_096;
/** A prime, so that fleets with a pattern are not seen through its eye. */
const sampleStride = 31;

/**
 * The level to which `wanted` fractional chunks fill the places: Newton's steps, kept inside a
 * bracket.
 */
function levelFor(wanted: number, { fit, load, room }: Places, stride: number): number {
  let low = Number.POSITIVE_INFINITY;
  let high = 0;
  let room0 = 0;
  let used0 = 0;
  let seen = 0;
  for (let i = 0; i < fit.length; i += stride) {
    seen++;
    if (fit[i]! === 0) continue;
    if (load[i]! < low) low = load[i]!;
    high = Math.max(high, load[i]! + fit[i]! / room[i]!);
    room0 += room[i]!;
    used0 += load[i]! * room[i]!;
  }
  const share = (wanted * seen) / fit.length;
  let level = Math.min(Math.max((share + used0) / room0, low), high);
  for (let sweep = 0; sweep < divideSweepsMax; sweep++) {
    let filled = 0;
    let slope = 0;
    for (let i = 0; i < fit.length; i += stride) {
      const part = (level - load[i]!) * room[i]!;
      if (part < 0) continue;
      if (part >= fit[i]!) filled += fit[i]!;
      else {
        filled += part;
        slope += room[i]!;
      }
    }
    const missing = share - filled;
    if (Math.abs(missing) < 0.5) return level;
    if (missing > 0) low = level;
    else high = level;
    const step = slope > 0 ? level + missing / slope : level;
    level = step > low && step < high ? step : (low + high) / 2;
  }
  return low;
}

/** Gives every place the whole chunks that fit below the level; answers how many these are. */
function fillTo(level: number, { fit, load, room }: Places, chunks: Int32Array): number {
  let sum = 0;
  for (let i = 0; i < fit.length; i++) {
    const whole = Math.min(Math.max((level - load[i]!) * room[i]!, 0), fit[i]!) | 0;
    chunks[i] = whole;
    sum += whole;
  }
  return sum;
}

/**
 * One more for places that are below the level and have room, as they come; answers what is left.
 */
function giveInOrder(
  wanted: number,
  level: number,
  { fit, load }: Places,
  chunks: Int32Array,
): number {
  let rest = wanted;
  for (let i = 0; i < fit.length && rest > 0; i++) {
    if (load[i]! >= level || chunks[i]! >= fit[i]!) continue;
    chunks[i]!++;
    rest--;
  }
  return rest;
}

/**
 * The same, those first that end lowest: found by counting them into buckets. One that stands at
 * the level already may be a large one, and end lowest of all.
 */
function giveLowest(
  wanted: number,
  level: number,
  { fit, load, room }: Places,
  chunks: Int32Array,
): number {
  if (wanted <= 0) return 0;
  const above = new Float64Array(fit.length).fill(-1);
  let highest = 0;
  for (let i = 0; i < fit.length; i++) {
    if (load[i]! > level || chunks[i]! >= fit[i]!) continue;
    const part = (level - load[i]!) * room[i]!;
    above[i] = (1 + chunks[i]! - part) / room[i]!;
    highest = Math.max(highest, above[i]!);
  }
  const buckets = Math.min(divideBucketsMax, 2 * fit.length);
  const scale = (buckets - 1) / Math.max(highest, Number.MIN_VALUE);
  const sizes = new Int32Array(buckets);
  for (let i = 0; i < fit.length; i++) if (above[i]! >= 0) sizes[(above[i]! * scale) | 0]!++;
  let edge = 0;
  let inside = 0;
  while (edge < buckets && inside + sizes[edge]! < wanted) inside += sizes[edge++]!;
  let rest = wanted;
  let tied = wanted - inside;
  for (let i = 0; i < fit.length; i++) {
    if (above[i]! < 0) continue;
    const bucket = (above[i]! * scale) | 0;
    if (bucket > edge || (bucket === edge && tied-- <= 0)) continue;
    chunks[i]!++;
    rest--;
  }
  return rest;
}

/**
 * One by one to wherever the level ends lowest: only where rounding leaves no level that serves.
 */
function topOff(rest: number, { fit, load, room }: Places, chunks: Int32Array): void {
  for (let left = rest; left > 0; left--) {
    let best = -1;
    let lowest = Number.POSITIVE_INFINITY;
    for (let i = 0; i < fit.length; i++) {
      if (chunks[i]! >= fit[i]!) continue;
      const key = load[i]! + (chunks[i]! + 1) / room[i]!;
      if (key < lowest) {
        lowest = key;
        best = i;
      }
    }
    if (best < 0) return;
    chunks[best]!++;
  }
}
