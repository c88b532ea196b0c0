import { expect, test } from 'vitest';
import { runSeed } from './scenario.ts';

/**
 * Thirty seeds before every commit, more in the longer runs; a night takes thousands (`npm run sim
 * -- --seeds 5000`). Whether a seed makes the same event log twice is asked of one in each batch: a
 * clock or a draw from elsewhere is in the code, not in a seed. The longer runs ask it of each.
 */
const seeds = Number(process.env['EDGEWISE_SEEDS'] ?? 30);
const batch = 5;

for (let from = 1; from <= seeds; from += batch) {
  const last = from + batch - 1;
  test(`seeds ${from} to ${last}: nothing is lost, nothing counted twice, every job ends`, async () => {
    for (let seed = from; seed <= last; seed++) {
      const result = await runSeed(seed);
      expect(result.violation, `npm run sim -- --seed ${seed} --trace`).toBeNull();
      if (seed > from) continue;
      const again = await runSeed(seed);
      expect(again.hash, `seed ${seed} gives two event logs`).toBe(result.hash);
    }
  }, 120_000);
}
