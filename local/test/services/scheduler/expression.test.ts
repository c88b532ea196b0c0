/** Schedule expressions: what they mean, and the sentence for those that mean nothing. */
import { expect, test } from 'vitest';
import { cronMatches, parseSchedule } from '../../../services/scheduler/expression.ts';

test.each([
  ['rate(1 minute)', 60_000],
  ['rate(5 minutes)', 300_000],
  ['rate(2 hours)', 7_200_000],
  ['rate(1 day)', 86_400_000],
])('%s', (text, everyMs) => {
  expect(parseSchedule(text, 'At')).toEqual({ kind: 'rate', everyMs });
});

// 18 November 2026 is a Wednesday.
test.each([
  ['cron(30 9 * * ? *)', '2026-11-18T09:30:00Z', true],
  ['cron(30 9 * * ? *)', '2026-11-18T09:31:00Z', false],
  ['cron(0/15 * * * ? *)', '2026-11-18T09:45:00Z', true],
  ['cron(0/15 * * * ? *)', '2026-11-18T09:46:00Z', false],
  ['cron(* * ? * MON-FRI *)', '2026-11-18T00:00:00Z', true],
  ['cron(* * ? * 7,1 *)', '2026-11-18T00:00:00Z', false],
  ['cron(0 10 18 NOV ? 2026)', '2026-11-18T10:00:00Z', true],
  // The clock of the host that tests run on, in Chatham, skips this one.
  ['cron(50 2 * * ? *)', '2026-09-27T02:50:00Z', true],
  ['cron(0 10 18 DEC ? 2026)', '2026-11-18T10:00:00Z', false],
])('%s at %s', (text, time, matches) => {
  const schedule = parseSchedule(text, 'At');
  if (schedule.kind !== 'cron') throw new Error('no cron');
  expect(cronMatches(schedule.fields, new Date(time), 'UTC')).toBe(matches);
});

test('a time zone moves the hours', () => {
  const schedule = parseSchedule('cron(0 10 * * ? *)', 'At');
  if (schedule.kind !== 'cron') throw new Error('no cron');
  const time = new Date('2026-11-18T09:00:00Z');
  expect(cronMatches(schedule.fields, time, 'Europe/Stockholm')).toBe(true);
});

test.each([
  'rate(5)',
  'rate(1 week)',
  'rate(0 minutes)',
  'cron(* * *)',
  'cron(0 10 * * * *)',
  'cron(0 10 ? * ? *)',
  'cron(61 * * * ? *)',
  'at(2026-11-18T00:00:00)',
])('%s stops with its path', (text) => {
  expect(() => parseSchedule(text, 'Resources.S')).toThrow(/^Resources\.S: /);
});
