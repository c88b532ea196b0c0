import { usage } from '../failure.ts';

const unitMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** `90`, `90s`, `1h30m`, `2d`: milliseconds. A bare number is seconds. */
export function parseDurationMs(text: string, flag: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1_000;
  let total = 0;
  let rest = text;
  while (rest !== '') {
    const part = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)/.exec(rest);
    if (part === null) {
      throw usage(`--${flag} ${text} is not a duration.`, 'Write 90s, 5m, 1h30m or 2d.');
    }
    total += Number(part[1]) * unitMs[part[2]!]!;
    rest = rest.slice(part[0].length);
  }
  if (text === '') throw usage(`--${flag} needs a duration.`, 'Write 90s, 5m, 1h30m or 2d.');
  return total;
}

/** The two largest units: `1h30m`, `4m5s`, `0.4s`. */
export function formatDurationMs(ms: number): string {
  if (!Number.isFinite(ms) || ms < 0) return '-';
  if (ms < 10_000) return `${(Math.floor(ms / 100) / 10).toFixed(1)}s`;
  const seconds = Math.floor(ms / 1_000);
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3_600) return pair(Math.floor(seconds / 60), 'm', seconds % 60, 's');
  if (seconds < 86_400)
    return pair(Math.floor(seconds / 3_600), 'h', Math.floor((seconds % 3_600) / 60), 'm');
  return pair(Math.floor(seconds / 86_400), 'd', Math.floor((seconds % 86_400) / 3_600), 'h');
}

function pair(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit}${small}${smallUnit}`;
}

/** For programs, and to sort by: whole seconds since an ISO time. */
export function secondsSince(time: string | null | undefined, nowMs: number): number | null {
  const thenMs = Date.parse(time ?? '');
  return Number.isNaN(thenMs) ? null : Math.max(0, Math.round((nowMs - thenMs) / 1_000));
}

/** How long ago an ISO time was; `-` for none. */
export function formatAge(time: string | null | undefined, nowMs: number): string {
  if (time === null || time === undefined) return '-';
  const thenMs = Date.parse(time);
  return Number.isNaN(thenMs) ? '-' : formatDurationMs(Math.max(0, nowMs - thenMs));
}
