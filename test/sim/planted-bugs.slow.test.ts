import { describe, expect, test } from 'vitest';
import { plantedBugs } from './bugs.ts';
import { findBug } from './find-bug.ts';
import { userBugs } from './user-bugs.ts';

/**
 * The simulation can fail: each of these bugs must be noticed by one of the first two hundred
 * seeds.
 */
const seedsMax = 200;

describe('a planted bug is caught', () => {
  test.each([...plantedBugs, ...userBugs])(
    '$name: $sentence',
    async (bug) => {
      const found = await findBug(bug, seedsMax);
      expect(found, `no seed up to ${seedsMax} noticed`).not.toBeNull();
    },
    180_000,
  );
});
