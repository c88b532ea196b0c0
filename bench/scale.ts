import { readFileSync, writeFileSync } from 'node:fs';
import type { Figures } from './run.ts';
import { compute, fleets, tablesOf, withTables } from './scale/page.ts';

/**
 * What fleets of ten thousand, a hundred thousand and a million edges ask of AWS and what they cost
 * a month, by the prices of `prices.json` and the quotas of `quotas.json`. With `--write` the
 * tables of `docs/scale.md` are written anew.
 */
const page = new URL('../docs/scale.md', import.meta.url);

export async function run(flags: readonly string[]): Promise<readonly Figures[]> {
  const computed = compute();
  if (flags.includes('--write')) {
    writeFileSync(page, withTables(readFileSync(page, 'utf8'), tablesOf(computed)));
  }
  return fleets.flatMap((edges, at) =>
    (['idle', 'long', 'short'] as const).map((load) => {
      const { perSecond, dollarsPerMonth } = computed[load][at]!;
      return { edges, load, dollarsPerMonth, ...Object.fromEntries(perSecond) };
    }),
  );
}
