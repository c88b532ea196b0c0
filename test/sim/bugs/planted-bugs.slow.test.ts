import { describe, expect, test } from 'vitest';
import { shelfBugs } from '../crowds/shelf-bugs.ts';
import { plantedBugs } from './bugs.ts';
import { findBug } from './find-bug.ts';
import { foldBugs } from './fold-bugs.ts';
import { planBugs } from './plan-bugs.ts';
import { resultBugs } from './result-bugs.ts';
import { shortBugs } from './short-bugs.ts';
import { userBugs } from './user-bugs.ts';

/**
 * The simulation can fail: each of these bugs must be noticed by one of the first two hundred
 * seeds.
 */
const seedsMax = 200;

describe('a planted bug is caught', () => {
  test.each([...plantedBugs, ...userBugs, ...foldBugs, ...shortBugs, ...shelfBugs, ...resultBugs])(
    '$name: $sentence',
    async (bug) => {
      const found = await findBug(bug, seedsMax);
      expect(found?.seed, `no seed up to ${seedsMax} noticed`).toBeLessThanOrEqual(seedsMax);
    },
    180_000,
  );
});

/** Enough to meet whatever a bug meets, many times over. */
const uncheckedSeeds = 40;

describe('the invariants of plans catch what nothing else does', () => {
  test.each(planBugs)(
    '$name: $sentence',
    async (bug) => {
      const found = await findBug(bug, seedsMax);
      expect(found?.violation?.message).toMatch(/^refused: /);
      const { name, sentence, decides } = bug;
      const unchecked = { name, sentence, commit: decides! };
      expect((await findBug(unchecked, uncheckedSeeds))?.violation).toBeUndefined();
    },
    180_000,
  );
});
