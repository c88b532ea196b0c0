import { clockProbeMs, zonesRememberedMax } from './limits.ts';

/**
 * What the clock on the wall shows somewhere, as milliseconds that would be UTC if it were right:
 * a wall time. Zones are those that the runtime knows; nothing else says when clocks are set.
 */
const formats = new Map<string, Intl.DateTimeFormat>();

export function isZone(zone: string): boolean {
  try {
    formatOf(zone);
    return true;
  } catch {
    return false;
  }
}

/** How far the clock is ahead of UTC at this instant. */
export function offsetMs(zone: string, atMs: number): number {
  if (zone === 'UTC') return 0;
  const match = offsetPattern.exec(formatOf(zone).format(atMs));
  if (match === null) return 0;
  const [, sign, hours, minutes, seconds = '0'] = match;
  const size = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
  return (sign === '-' ? -size : size) * 1_000;
}

const offsetPattern = /GMT([+-])(\d{2}):(\d{2})(?::(\d{2}))?$/;

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  const [oldest] = formats.keys();
  if (formats.size >= zonesRememberedMax && oldest !== undefined) formats.delete(oldest);
  formats.set(zone, format);
  return format;
}

/** A while in which nobody sets the clock. */
export type SteadyWhile = {
  readonly fromMs: number;
  readonly toMs: number;
  readonly offsetMs: number;
};

const minuteMs = 60_000;

/** The instants from `fromMs` to `toMs`, cut where the clock is set. Both are whole minutes. */
export function steadyWhiles(zone: string, fromMs: number, toMs: number): SteadyWhile[] {
  const whiles: SteadyWhile[] = [];
  let startMs = fromMs;
  let offset = offsetMs(zone, fromMs);
  for (let atMs = fromMs; atMs < toMs; ) {
    const nextMs = Math.min(toMs, atMs + clockProbeMs);
    const next = offsetMs(zone, nextMs);
    if (next !== offset) {
      const setMs = instantOfSetting(zone, atMs, nextMs, offset);
      whiles.push({ fromMs: startMs, toMs: setMs, offsetMs: offset });
      [startMs, offset] = [setMs, offsetMs(zone, setMs)];
      atMs = setMs;
    } else atMs = nextMs;
  }
  whiles.push({ fromMs: startMs, toMs, offsetMs: offset });
  return whiles;
}

/** The first minute at which the clock is no longer so far ahead. */
function instantOfSetting(zone: string, fromMs: number, toMs: number, offset: number): number {
  let [before, after] = [fromMs / minuteMs, toMs / minuteMs];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (offsetMs(zone, middle * minuteMs) === offset) before = middle;
    else after = middle;
  }
  return after * minuteMs;
}
