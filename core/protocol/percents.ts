import { chunksMax } from '../model/limits.ts';
import { has, type RangeSet } from '../model/ranges.ts';
import { percentsLengthMax, percentsMax } from './limits.ts';

/**
 * How far running chunks say they are, in whole percent: 1 to 99, because what has not begun is not
 * named, and what is done is named as that.
 */
export type Percents = ReadonlyMap<number, number>;

export const noPercents: Percents = new Map();

/** One scalar, `0:50,3:10`: a shadow replaces strings whole. */
export function encodePercents(percents: Percents): string {
  return [...percents].map(([chunk, percent]) => `${chunk}:${percent}`).join(',');
}

/** What makes no sense in it is left out. */
export function parsePercents(value: unknown): Percents {
  if (typeof value !== 'string' || value === '' || value.length > percentsLengthMax) {
    return noPercents;
  }
  const percents = new Map<number, number>();
  for (const part of value.split(',', percentsMax)) {
    const match = /^(\d{1,8}):(\d{1,2})$/.exec(part);
    if (match === null) continue;
    const [chunk, percent] = [Number(match[1]), Number(match[2])];
    if (chunk < chunksMax && percent > 0 && (percents.get(chunk) ?? 0) < percent) {
      percents.set(chunk, percent);
    }
  }
  return percents;
}

/**
 * What is known of the chunks that run now. It never falls while a chunk runs in one place; the
 * same object when nothing rose and nothing ended.
 */
export function risenPercents(before: Percents, now: Percents, running: RangeSet): Percents {
  const percents = runningPercents(before, running);
  let risen: Map<number, number> | null = null;
  for (const [chunk, percent] of now) {
    if (!has(running, chunk) || percent <= ((risen ?? percents).get(chunk) ?? 0)) continue;
    if ((risen ?? percents).size >= percentsMax && !percents.has(chunk)) continue;
    risen ??= new Map(percents);
    risen.set(chunk, percent);
  }
  return risen ?? percents;
}

export function runningPercents(percents: Percents, running: RangeSet): Percents {
  if (percents.size === 0) return percents;
  const kept = [...percents].filter(([chunk]) => has(running, chunk));
  return kept.length === percents.size ? percents : new Map(kept);
}
