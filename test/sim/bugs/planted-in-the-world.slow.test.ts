import { expect, test } from 'vitest';
import { membershipBugs } from '../membership.ts';
import { restoreBugs } from '../restore.ts';
import { versionBugs } from '../versions.ts';
import { clockBugs } from './clock-bugs.ts';
import { copyBugs } from './copy-bugs.ts';
import { demandBugs } from './demand-bugs.ts';
import { diskBugs } from './disk-bugs.ts';
import { findBug } from './find-bug.ts';
import { httpsBugs } from './https-bugs.ts';
import { tableBugs } from './table-bugs.ts';
import { takingBugs } from './taking-bugs.ts';
import { totalsBugs } from './totals-bugs.ts';

/**
 * As `planted-bugs.slow.test.ts`, for what the world around the decisions does to them: the table
 * and its stream, clocks, disks, copies, other versions, quotas, restores, edges without MQTT, and
 * edges that come and go.
 */
const seedsMax = 200;

const bugs = [
  ...tableBugs,
  ...demandBugs,
  ...totalsBugs,
  ...clockBugs,
  ...copyBugs,
  ...diskBugs,
  ...versionBugs,
  ...restoreBugs,
  ...httpsBugs,
  ...takingBugs,
  ...membershipBugs,
];

test.each(bugs)(
  '$name: $sentence',
  async (bug) => {
    const found = await findBug(bug, seedsMax);
    expect(found?.seed, `no seed up to ${seedsMax} noticed`).toBeLessThanOrEqual(seedsMax);
  },
  180_000,
);
