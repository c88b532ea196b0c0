import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Cron, parseCron } from '../../../core/schedules/cron.ts';
import { cronTimes } from '../../../core/schedules/cron-times.ts';
import { isZone } from '../../../core/schedules/zone-clock.ts';

const minuteMs = 60_000;

function cronOf(text: string): Cron {
  const cron = parseCron(text);
  if (typeof cron === 'string') throw new Error(cron);
  return cron;
}

function first(count: number, text: string, zone: string, after: string): string[] {
  const times: string[] = [];
  for (const atMs of cronTimes(cronOf(text), zone, Date.parse(after))) {
    if (times.length === count) break;
    times.push(new Date(atMs).toISOString().slice(0, 16));
  }
  return times;
}

test.each([
  ['*/20 8-9 * * *', 'UTC', '2026-01-01T08:30Z', ['T08:40', 'T09:00', 'T09:20', 'T09:40']],
  ['0 0 1 jan *', 'UTC', '2026-01-01T00:00Z', ['2027-01-01', '2028-01-01']],
  ['0 0 29 2 *', 'UTC', '2026-01-01T00:00Z', ['2028-02-29', '2032-02-29']],
  // Both kinds of days: either is enough.
  ['0 0 13 * fri', 'UTC', '2026-02-01T00:00Z', ['02-06', '02-13', '02-20', '02-27', '03-06']],
  ['0 9 * * 1-5', 'Europe/Berlin', '2026-07-03T12:00Z', ['07-06T07:00', '07-07T07:00']],
  ['0 0 * * 7', 'UTC', '2026-01-01T00:00Z', ['2026-01-04', '2026-01-11']],
  ['@daily', 'America/New_York', '2026-01-01T00:00Z', ['2026-01-01T05:00']],
  ['5/25 * * * *', 'UTC', '2026-01-01T00:00Z', ['T00:05', 'T00:30', 'T00:55', 'T01:05']],
])('the next times of %s in %s', (text, zone, after, wanted) => {
  const times = first(wanted.length, text, zone, after);
  expect(times.map((time, at) => time.includes(wanted[at]!))).toEqual(wanted.map(() => true));
});

test('a time that the clock skips runs once, at the first minute after the jump', () => {
  // In Berlin it was two, and then it was three: 01:00 UTC.
  const before = '2026-03-28T12:00Z';
  expect(first(2, '30 2 * * *', 'Europe/Berlin', before)).toEqual([
    '2026-03-29T01:00',
    '2026-03-30T00:30',
  ]);
  expect(first(2, '0,15,30 2 * * *', 'Europe/Berlin', before)).toEqual([
    '2026-03-29T01:00',
    '2026-03-30T00:00',
  ]);
  // At 3 it runs as well; both are the same minute, and that runs once.
  expect(first(2, '0 2,3 * * *', 'Europe/Berlin', before)).toEqual([
    '2026-03-29T01:00',
    '2026-03-30T00:00',
  ]);
});

test('a time that comes twice runs at its first', () => {
  const times = first(3, '30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00Z');
  expect(times).toEqual(['2026-10-25T00:30', '2026-10-26T01:30', '2026-10-27T01:30']);
});

test('where the hour is open it goes on without a gap, whatever is done to the clock', () => {
  for (const [text, after, everyMinutes] of [
    ['*/30 * * * *', '2026-03-29T00:00Z', 30],
    ['*/30 * * * *', '2026-10-24T23:00Z', 30],
    ['15 * * * *', '2026-10-24T23:00Z', 60],
  ] as const) {
    const times = first(8, text, 'Europe/Berlin', after).map((time) => Date.parse(`${time}Z`));
    const gaps = times.slice(1).map((time, at) => (time - times[at]!) / minuteMs);
    expect(new Set(gaps)).toEqual(new Set([everyMinutes]));
  }
});

test('a day that a place left out runs when it is over', () => {
  // Samoa went from the 29th to the 31st of December 2011.
  expect(first(3, '0 12 * * *', 'Pacific/Apia', '2011-12-29T00:00Z')).toEqual([
    '2011-12-29T22:00',
    '2011-12-30T10:00',
    '2011-12-30T22:00',
  ]);
});

const walls = new Map<string, number>();
const clocks = new Map<string, Intl.DateTimeFormat>();

function clockOf(zone: string): Intl.DateTimeFormat {
  const style = { dateStyle: 'short', timeStyle: 'medium', timeZone: zone } as const;
  const clock = clocks.get(zone) ?? new Intl.DateTimeFormat('sv-SE', style);
  clocks.set(zone, clock);
  return clock;
}

/** What the wall shows, field by field, and not as the code under test asks for it. */
function wallAt(zone: string, atMs: number): number {
  const key = `${zone} ${atMs}`;
  const known = walls.get(key);
  if (known !== undefined) return known;
  const shown = clockOf(zone).format(atMs);
  const wallMs = Date.parse(`${shown.replace(' ', 'T')}Z`);
  walls.set(key, wallMs);
  return wallMs;
}

/** Minute by minute, with nothing but what the clock on the wall shows. */
function walk(cron: Cron, zone: string, fromMs: number, toMs: number): number[] {
  const fits = (wallMs: number): boolean => {
    const date = new Date(wallMs);
    const isDay = cron.days.has(date.getUTCDate());
    const isWeekday = cron.weekdays.has(date.getUTCDay());
    return (
      cron.minutes.includes(date.getUTCMinutes()) &&
      cron.hours.includes(date.getUTCHours()) &&
      cron.months.has(date.getUTCMonth() + 1) &&
      (cron.isEitherDay ? isDay || isWeekday : isDay && isWeekday)
    );
  };
  const found: number[] = [];
  const shown = new Set<number>();
  let lastWallMs: number | null = null;
  // A day and a bit earlier, so that it is known what was shown before.
  for (let atMs = fromMs - 26 * 60 * minuteMs; atMs < toMs; atMs += minuteMs) {
    const wallMs = wallAt(zone, atMs);
    let isMeant = fits(wallMs) && (cron.isEveryHour || !shown.has(wallMs));
    if (!cron.isEveryHour && lastWallMs !== null) {
      for (let gone = lastWallMs + minuteMs; gone < wallMs; gone += minuteMs) {
        if (fits(gone)) isMeant = true;
      }
    }
    shown.add(wallMs);
    lastWallMs = wallMs;
    if (isMeant && atMs > fromMs) found.push(atMs);
  }
  return found;
}

/** Days on which the clock was set there: by an hour, half of one, at midnight, by a day. */
const places = [
  ['Europe/Berlin', '2026-03-29'],
  ['Europe/Berlin', '2026-10-25'],
  ['Australia/Lord_Howe', '2026-04-05'],
  ['Asia/Beirut', '2026-03-29'],
  ['Pacific/Apia', '2011-12-30'],
  ['America/St_Johns', '2026-11-01'],
] as const;
const term = (min: number, max: number) =>
  fc.oneof(
    fc.constant('*'),
    fc.integer({ min, max }).map(String),
    fc.integer({ min: 1, max: 9 }).map((step) => `*/${step}`),
    fc
      .tuple(fc.integer({ min, max }), fc.integer({ min, max }))
      .map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`),
  );
const crons = fc
  .tuple(
    term(0, 59),
    fc.oneof(fc.constantFrom('0', '1', '2', '3', '23', '1-3'), term(0, 23)),
    fc.oneof({ weight: 3, arbitrary: fc.constant('*') }, term(1, 31)),
    fc.oneof({ weight: 3, arbitrary: fc.constant('*') }, term(1, 12)),
    fc.oneof({ weight: 3, arbitrary: fc.constant('*') }, term(0, 7)),
  )
  .map((words) => words.join(' '));

test('the times are those of one who looks at the clock every minute', () => {
  fc.assert(
    fc.property(
      crons,
      fc.constantFrom(...places),
      fc.integer({ min: -720, max: 720 }),
      (text, [zone, day], minutes) => {
        const cron = parseCron(text);
        fc.pre(typeof cron !== 'string');
        const fromMs = Date.parse(day) + minutes * minuteMs;
        const toMs = fromMs + 36 * 60 * minuteMs;
        const found: number[] = [];
        for (const atMs of cronTimes(cron, zone, fromMs)) {
          if (atMs >= toMs) break;
          found.push(atMs);
        }
        expect(found).toEqual(walk(cron, zone, fromMs, toMs));
      },
    ),
    { numRuns: 60 },
  );
});

test.each([
  ['', 'five parts'],
  ['* * * *', 'five parts'],
  ['* * * * * *', 'five parts'],
  ['60 * * * *', 'no minute'],
  ['* 24 * * *', 'no hour'],
  ['* * 0 * *', 'no day of the month'],
  ['* * * 13 *', 'no month'],
  ['* * * * 8', 'no day of the week'],
  ['*/0 * * * *', 'no minute'],
  ['5-1 * * * *', 'no minute'],
  ['* * L * *', 'no day of the month'],
  ['* * * constructor *', 'no month'],
  ['0 0 31 2 *', 'no such day'],
  ['0 0 30 2 *', 'no such day'],
  [`${'1,'.repeat(63)}1 * * * *`, 'at most'],
  ['1e1 * * * *', 'no minute'],
])('refused, with what is wrong: %j', (text, words) => {
  expect(parseCron(text)).toContain(words);
});

test('zones are those that the runtime knows', () => {
  const known = ['Europe/Berlin', 'UTC', 'constructor', '../etc', ''].map(isZone);
  expect(known).toEqual([true, true, false, false, false]);
});
