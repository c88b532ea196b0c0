import { usage } from '../failure.ts';
import { parseDurationMs } from '../input/duration.ts';
import { watchEveryMs, watchEveryMsMin } from '../limits.ts';
import type { Output } from './output.ts';

export const watchFlags = {
  watch: { kind: 'switch', short: 'w', about: 'show it live until Ctrl-C' },
  every: { kind: 'text', value: 'DURATION', about: 'how often to look (1s)', rare: true },
} as const;

/** A live view is for eyes: one JSON value could not be one any more. */
export function readEveryMs(flags: { readonly every: string | undefined }, output: Output): number {
  if (output.format !== 'table' && output.format !== 'wide') {
    throw usage(
      `A live view cannot be shown with -o ${output.format}.`,
      'Use -o table or -o wide.',
    );
  }
  if (flags.every === undefined) return watchEveryMs;
  return Math.max(watchEveryMsMin, parseDurationMs(flags.every, 'every'));
}
