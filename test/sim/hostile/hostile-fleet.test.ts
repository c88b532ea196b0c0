import { expect, test } from 'vitest';
import { runFleet } from './fleet.ts';

test('a hostile edge harms nobody, for an hour of each of a few seeds', async () => {
  for (let seed = 1; seed <= 4; seed++) {
    const { violation, jobs } = await runFleet(seed, { hours: 1 });
    expect(violation, `seed ${seed}`).toBeNull();
    expect(jobs).toBeGreaterThan(4);
  }
});
