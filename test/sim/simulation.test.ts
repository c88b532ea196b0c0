import { expect, test } from 'vitest';
import { runSeed } from './scenario.ts';

/** Thirty seeds before every commit, more in the longer runs; a night takes thousands (`npm run sim -- --seeds 5000`). */
const seeds = Number(process.env['EDGEWISE_SEEDS'] ?? 30);
const batch = 5;

for (let from = 1; from <= seeds; from += batch) {
  const last = from + batch - 1;
  test(`seeds ${from} to ${last}: nothing is lost, nothing counted twice, every job ends`, async () => {
    for (let seed = from; seed <= last; seed++) {
      const result = await runSeed(seed);
      expect(result.violation, `npm run sim -- --seed ${seed} --trace`).toBeNull();
      const again = await runSeed(seed);
      expect(again.hash, `seed ${seed} gives two event logs`).toBe(result.hash);
    }
  }, 120_000);
}
