import { runSeed, type SeedResult } from '../scenario.ts';
import type { Bug } from './bugs.ts';
import { knownSeeds } from './known-seeds.ts';

/**
 * Long enough for every job of these seeds to end, which is asked below; a bug that keeps one open
 * would be run for half a day otherwise.
 */
const patienceMs = 2 * 3_600_000;

/**
 * A seed that notices the bug by such a sentence and has nothing to say without it, of those up to
 * `seedsMax` or the known one; `null` without any.
 */
export async function findBug(
  bug: Bug,
  seedsMax: number,
  sentence = /./,
): Promise<SeedResult | null> {
  const known = knownSeeds.get(bug.name);
  const seeds = Array.from({ length: seedsMax }, (_, at) => at + 1);
  if (known !== undefined) seeds.unshift(known);
  for (const seed of seeds) {
    const result = await runSeed(seed, { bug, patienceMs });
    if (result.violation === null || !sentence.test(result.violation.message)) continue;
    if ((await runSeed(seed, { patienceMs })).violation === null) return result;
  }
  return null;
}
