import { cronLengthMax, cronTermsMax } from './limits.ts';

/**
 * The five fields of cron: minute, hour, day of the month, month, day of the week, with names,
 * ranges, steps and lists. Days are those of either field when both are given, as cron has it.
 */
export type Cron = {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly days: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  readonly weekdays: ReadonlySet<number>;
  /** Both kinds of days are given: one of them is enough. */
  readonly isEitherDay: boolean;
  /** The hour is open: it goes on by elapsed time, whatever is done to the clock. */
  readonly isEveryHour: boolean;
};

type Field = {
  readonly what: string;
  readonly min: number;
  readonly max: number;
  readonly names: readonly string[];
};

const months = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const weekdays = 'sun mon tue wed thu fri sat'.split(' ');

const fields: readonly Field[] = [
  { what: 'minute', min: 0, max: 59, names: [] },
  { what: 'hour', min: 0, max: 23, names: [] },
  { what: 'day of the month', min: 1, max: 31, names: [] },
  { what: 'month', min: 1, max: 12, names: months },
  { what: 'day of the week', min: 0, max: 7, names: weekdays },
];

const shorthands: ReadonlyMap<string, string> = new Map([
  ['@hourly', '0 * * * *'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@weekly', '0 0 * * 0'],
  ['@monthly', '0 0 1 * *'],
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
]);

/** A sentence says what is wrong with one that is none. */
export function parseCron(text: string): Cron | string {
  if (text.length > cronLengthMax) return `A time has at most ${cronLengthMax} characters.`;
  const given = text.trim().toLowerCase();
  const words = (shorthands.get(given) ?? given).split(/\s+/);
  if (words.length !== fields.length) {
    return 'A time has five parts: minute, hour, day of the month, month, day of the week.';
  }
  const read: (readonly number[])[] = [];
  for (const [at, field] of fields.entries()) {
    const values = parseField(words[at]!, field);
    if (typeof values === 'string') return values;
    read.push(values);
  }
  const [minutes, hours, days, inMonths, onWeekdays] = read as [
    readonly number[],
    readonly number[],
    readonly number[],
    readonly number[],
    readonly number[],
  ];
  const cron: Cron = {
    minutes,
    hours,
    days: new Set(days),
    months: new Set(inMonths),
    weekdays: new Set(onWeekdays.map((day) => day % 7)),
    isEitherDay: !words[2]!.startsWith('*') && !words[4]!.startsWith('*'),
    isEveryHour: words[1] === '*' || words[1] === '*/1',
  };
  return hasDay(cron) ? cron : 'There is no such day in any year.';
}

function parseField(word: string, field: Field): readonly number[] | string {
  const terms = word.split(',');
  if (terms.length > cronTermsMax) return `The ${field.what} has more than ${cronTermsMax} parts.`;
  const values = new Set<number>();
  for (const term of terms) {
    const range = parseTerm(term, field);
    if (range === null) {
      const shown = term.slice(0, 20);
      return `"${shown}" is no ${field.what}: ${field.min} to ${field.max}, 1-5, */2 or a list.`;
    }
    for (let value = range.from; value <= range.to; value += range.step) values.add(value);
  }
  return [...values].sort((a, b) => a - b);
}

const termPattern = /^(\*|([a-z0-9]{1,3})(?:-([a-z0-9]{1,3}))?)(?:\/(\d{1,2}))?$/;

function parseTerm(
  term: string,
  field: Field,
): { readonly from: number; readonly to: number; readonly step: number } | null {
  const match = termPattern.exec(term);
  if (match === null) return null;
  const [, whole, first, last, stepText] = match;
  const step = stepText === undefined ? 1 : Number(stepText);
  if (step < 1) return null;
  if (whole === '*') return { from: field.min, to: field.max, step };
  const from = numberOf(first ?? '', field);
  const to = last === undefined ? from : numberOf(last, field);
  if (from === null || to === null || to < from) return null;
  // `5/10` begins at 5 and goes on to the end.
  return { from, to: last === undefined && stepText !== undefined ? field.max : to, step };
}

function numberOf(word: string, { min, max, names }: Field): number | null {
  const at = names.indexOf(word);
  if (at !== -1) return at + min;
  if (!/^\d{1,2}$/.test(word)) return null;
  const value = Number(word);
  return value >= min && value <= max ? value : null;
}

const longestMonths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function hasDay({ days, months: inMonths, weekdays: onWeekdays, isEitherDay }: Cron): boolean {
  if (isEitherDay && onWeekdays.size > 0) return true;
  const first = Math.min(...days);
  return [...inMonths].some((month) => first <= longestMonths[month - 1]!);
}

/** Whether cron means this day; the month counts from 1, the weekday from Sunday. */
export function meansDay(cron: Cron, date: CalendarDay): boolean {
  if (!cron.months.has(date.month)) return false;
  const isDay = cron.days.has(date.day);
  const isWeekday = cron.weekdays.has(date.weekday);
  return cron.isEitherDay ? isDay || isWeekday : isDay && isWeekday;
}

export type CalendarDay = {
  readonly month: number;
  readonly day: number;
  readonly weekday: number;
};
