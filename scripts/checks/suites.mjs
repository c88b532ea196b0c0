/**
 * What a fresh clone must pass, shared by `npm test` and `npm run check:full`: everything pure or
 * in memory with fifty simulated seeds, each part on real processes and databases, and one flow
 * through the whole product.
 */

/** @import { Tally } from './test-runs.mjs' */

export const seeds = 50;
const firstFlow = 'test/flow/walking-skeleton.test.ts';

const minute = 60_000;
const suiteMsMax = 12 * minute;

/**
 * What judges the whole and not a change: whether the simulation sees the bugs that are planted in
 * it, a package as others install it, and what a fast test asks for a moment, asked for long. It
 * takes longer than all other parts together.
 */
const judges = [
  'test/sim/bugs/',
  'test/sim/hostile/',
  'test/fuzz/rows.slow.test.ts',
  'test/lib/construct/package.slow.test.ts',
];
const withoutJudges = judges.map((path) => `--exclude=${path.endsWith('/') ? `${path}**` : path}`);

/** @param {Tally} tally */
export async function runSuites(tally) {
  const runsAgain = true;
  const timeoutMs = suiteMsMax;
  const many = { EDGEWISE_SEEDS: String(seeds) };
  const fast = ['--project', 'fast'];
  await tally.vitest(`fast tests, ${seeds} seeds`, fast, { env: many, timeoutMs });
  const parts = ['--project', 'parts', ...withoutJudges];
  await tally.vitest('parts', parts, { timeoutMs, runsAgain });
  await tally.vitest('one flow', ['--project', 'flow', firstFlow], { timeoutMs, runsAgain });
}

/** With `npm run check:full`. @param {Tally} tally */
export async function runJudges(tally) {
  await tally.vitest('judges', ['--project', 'parts', ...judges], { timeoutMs: suiteMsMax });
}
