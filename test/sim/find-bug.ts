import type { Bug } from './bugs.ts';
import { runSeed, type SeedResult } from './scenario.ts';

/** The first seed, in order, that notices the bug; `null` when none of them does. */
export async function findBug(bug: Bug, seedsMax: number): Promise<SeedResult | null> {
  for (let seed = 1; seed <= seedsMax; seed++) {
    const result = await runSeed(seed, { bug });
    if (result.violation !== null) return result;
  }
  return null;
}
