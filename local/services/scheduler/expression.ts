/**
 * Schedule expressions of EventBridge Scheduler
 * (https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html): `rate(5 minutes)`
 * and `cron(minutes hours day-of-month month day-of-week year)`, with lists, ranges, steps and
 * names.
 */
import { StartFailure } from '../../failure.ts';

export type Schedule =
  | { kind: 'rate'; everyMs: number }
  | { kind: 'cron'; fields: readonly CronField[] };

type CronField = ReadonlySet<number> | 'any';

const unitMs: Readonly<Record<string, number>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
};

export function parseSchedule(text: string, path: string): Schedule {
  const rate = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(text);
  if (rate !== null && Number(rate[1]) > 0) {
    return { kind: 'rate', everyMs: Number(rate[1]) * (unitMs[rate[2] ?? ''] ?? 0) };
  }
  const cron = /^cron\(([^)]+)\)$/.exec(text);
  const parts = cron?.[1]?.trim().split(/\s+/) ?? [];
  if (parts.length !== 6) {
    throw new StartFailure(`${path}: the local cloud runs rate(…) and cron(…) of six fields.`);
  }
  // "You can't use * in both … fields. If you use it in one, you must use ? in the other."
  if ((parts[2] === '?') === (parts[4] === '?')) {
    throw new StartFailure(`${path}: exactly one of the two day fields of cron(…) has to be "?".`);
  }
  return {
    kind: 'cron',
    fields: parts.map((part, i) => parseField(part, ranges[i] ?? [0, 0, []], path)),
  };
}

type FieldRange = readonly [number, number, readonly string[]];

const months = [
  '',
  'JAN',
  'FEB',
  'MAR',
  'APR',
  'MAY',
  'JUN',
  'JUL',
  'AUG',
  'SEP',
  'OCT',
  'NOV',
  'DEC',
];
const weekdays = ['', 'SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
const ranges: readonly FieldRange[] = [
  [0, 59, []],
  [0, 23, []],
  [1, 31, []],
  [1, 12, months],
  [1, 7, weekdays],
  [1970, 2199, []],
];

function parseField(text: string, [low, high, names]: FieldRange, path: string): CronField {
  if (text === '*' || text === '?') return 'any';
  const number = (part: string): number => {
    const named = names.indexOf(part.toUpperCase());
    const value = named > 0 ? named : Number(part);
    if (Number.isInteger(value) && value >= low && value <= high) return value;
    throw new StartFailure(`${path}: the local cloud cannot read "${text}" in a cron expression.`);
  };
  const values = new Set<number>();
  for (const item of text.split(',')) {
    const [span = '', stepText] = item.split('/');
    const [from, to] = span === '*' ? [low, high] : span.split('-').map(number);
    const step = stepText === undefined ? 1 : Number(stepText);
    const last = to ?? (stepText === undefined ? (from ?? low) : high);
    if (!(step >= 1)) throw new StartFailure(`${path}: a step of a cron expression is at least 1.`);
    for (let value = from ?? low; value <= last; value += step) values.add(value);
  }
  return values;
}

/** True when a cron schedule fires in the minute of this time. */
export function cronMatches(fields: readonly CronField[], time: Date, timezone: string): boolean {
  // Read as UTC: the host's own clock may skip an hour that this zone has.
  const local = new Date(`${time.toLocaleString('en-US', { timeZone: timezone })} UTC`);
  const actual = [
    local.getUTCMinutes(),
    local.getUTCHours(),
    local.getUTCDate(),
    local.getUTCMonth() + 1,
    local.getUTCDay() + 1,
    local.getUTCFullYear(),
  ];
  return fields.every((field, i) => field === 'any' || field.has(actual[i] ?? -1));
}
