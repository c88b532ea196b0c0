import { expect, test } from 'vitest';
import { findBug } from './find-bug.ts';
import { serviceBugs } from './service-bugs.ts';

/** As `planted-bugs.slow.test.ts`, for services: what they run, by whom, and how it is changed. */
const seedsMax = 200;

test.each(serviceBugs)(
  '$name: $sentence',
  async (bug) => {
    const found = await findBug(bug, seedsMax, noticed.get(bug.name)!);
    expect(found?.seed, `no seed up to ${seedsMax} noticed`).toBeLessThanOrEqual(seedsMax);
  },
  180_000,
);

/** By what is looked at for its sake, not by an accident. */
const noticed = new Map([
  ['rollout-ahead-of-readiness', /stopped although|counts as settled/],
  ['ready-for-a-moment', /counts as settled/],
  ['stopped-service-restarts', /is deleted and|never ends/],
  ['second-restart-forgets-the-first', /never started \d+ anew/],
  ['rollout-without-an-end', /is still moving/],
  ['two-ready-holders', /has run on/],
  ['start-is-no-attempt', /does not run|stopped although/],
  ['cells-do-not-wait-for-their-turn', /stopped although/],
  ['turn-is-overlooked', /waits for its turn/],
  ['others-are-not-taken-back', /runs generations/],
  ['job-stays-where-it-was-submitted', /has not come to/],
]);
