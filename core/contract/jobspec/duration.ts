import * as z from 'zod';
import { deadlineSecondsMax } from '../../model/limits.ts';

/** How long something may take: seconds, or a text like `300s`, `5m`, `2h`, `1d`. */
const pattern = /^\d{1,9}(\.\d{1,9})?[smhd]?$/;
const unitSeconds: ReadonlyMap<string, number> = new Map([
  ['s', 1],
  ['m', 60],
  ['h', 3_600],
  ['d', 86_400],
]);

export const durationSchema = z
  .union([z.number().min(0), z.string().regex(pattern)], {
    error: 'A duration is a number of seconds, or a text like 300s, 5m, 2h or 1d.',
  })
  .refine((it) => secondsIn(it) <= deadlineSecondsMax, {
    error: `A duration is at most ${deadlineSecondsMax / 86_400} days.`,
  });

export type Duration = z.output<typeof durationSchema>;

/** Whole seconds; `null` for none, which 0 is too. */
export function secondsOf(duration: Duration | undefined): number | null {
  const seconds = duration === undefined ? 0 : Math.ceil(secondsIn(duration));
  return seconds === 0 ? null : seconds;
}

function secondsIn(duration: number | string): number {
  if (typeof duration === 'number') return duration;
  return Number.parseFloat(duration) * (unitSeconds.get(duration.at(-1) ?? '') ?? 1);
}
