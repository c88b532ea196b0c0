/**
 * Divides a number of equal chunks over places so that all are filled to the same level: water-filling.
 *
 * Used for slots over edges and for a job's chunks over cells. It counts, it does not enumerate: the cost grows with
 * the number of places and not with the number of chunks. Places are columns, so that a hundred thousand of them are
 * a few sweeps over flat arrays.
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
  if (wanted <= 0) return { placed: 0, chunks };
  const level = levelFor(wanted, places);
  const below = fillTo(level, places, chunks);
  topOff(wanted - below, places, chunks);
  return { placed: wanted, chunks };
}

const sweepsMax = 60;

/** The level up to which `wanted` fractional chunks fill the places: Newton's steps, kept inside a bracket. */
function levelFor(wanted: number, { fit, load, room }: Places): number {
  let low = Number.POSITIVE_INFINITY;
  let high = 0;
  for (let i = 0; i < fit.length; i++) {
    if (fit[i]! === 0) continue;
    if (load[i]! < low) low = load[i]!;
    const top = load[i]! + fit[i]! / room[i]!;
    if (top > high) high = top;
  }
  let level = low;
  for (let sweep = 0; sweep < sweepsMax; sweep++) {
    let filled = 0;
    let slope = 0;
    for (let i = 0; i < fit.length; i++) {
      const share = (level - load[i]!) * room[i]!;
      if (share < 0) continue;
      if (share >= fit[i]!) filled += fit[i]!;
      else {
        filled += share;
        slope += room[i]!;
      }
    }
    const missing = wanted - filled;
    if (Math.abs(missing) < 0.5) return level;
    if (missing > 0) low = level;
    else high = level;
    const step = slope > 0 ? level + missing / slope : level;
    level = step > low && step < high ? step : (low + high) / 2;
  }
  return low;
}

/** Gives every place the whole chunks that fit below the level; the sum is at most what was wanted. */
function fillTo(level: number, { fit, load, room }: Places, chunks: Int32Array): number {
  let filled = 0;
  for (let i = 0; i < fit.length; i++) {
    const share = (level - load[i]!) * room[i]!;
    if (share < 1) continue;
    const whole = share >= fit[i]! ? fit[i]! : Math.floor(share);
    chunks[i] = whole;
    filled += whole;
  }
  return filled;
}

const bucketsMax = 512;

/** The last few chunks go one by one to where the level ends lowest; ties in the order of the places. */
function topOff(left: number, places: Places, chunks: Int32Array): void {
  const { fit, load, room } = places;
  const keys = new Float64Array(fit.length);
  for (let rest = left; rest > 0; ) {
    let lowest = Number.POSITIVE_INFINITY;
    let highest = 0;
    for (let i = 0; i < fit.length; i++) {
      const key = chunks[i]! < fit[i]! ? load[i]! + (chunks[i]! + 1) / room[i]! : Number.NaN;
      keys[i] = key;
      if (key < lowest) lowest = key;
      if (key > highest) highest = key;
    }
    if (lowest === Number.POSITIVE_INFINITY) return;
    rest = giveLowest(rest, keys, lowest, highest, chunks);
  }
}

/** One more chunk for each of the places with the lowest keys: found by counting, only the last bucket is sorted. */
function giveLowest(
  wanted: number,
  keys: Float64Array,
  lowest: number,
  highest: number,
  chunks: Int32Array,
): number {
  const buckets = Math.min(bucketsMax, 2 * keys.length + 2);
  const scale = highest > lowest ? (buckets - 1) / (highest - lowest) : 0;
  const sizes = new Int32Array(buckets);
  for (let i = 0; i < keys.length; i++) {
    if (keys[i]! >= lowest) sizes[((keys[i]! - lowest) * scale) | 0]!++;
  }
  let edge = 0;
  let inside = 0;
  while (edge < buckets && inside + sizes[edge]! < wanted) inside += sizes[edge++]!;
  const tied: number[] = [];
  for (let i = 0; i < keys.length; i++) {
    if (!(keys[i]! >= lowest)) continue;
    const bucket = ((keys[i]! - lowest) * scale) | 0;
    if (bucket < edge) chunks[i]!++;
    else if (bucket === edge) tied.push(i);
  }
  const rest = Math.min(wanted - inside, tied.length);
  if (highest > lowest && rest < tied.length) tied.sort((a, b) => keys[a]! - keys[b]! || a - b);
  for (let at = 0; at < rest; at++) chunks[tied[at]!]!++;
  return wanted - inside - rest;
}
