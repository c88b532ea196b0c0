/**
 * What a fresh clone must pass, shared by `npm test` and `npm run check:full`: everything pure or
 * in memory with fifty simulated seeds, each part on real processes and databases, and one flow
 * through the whole product.
 */

/** @import { Tally } from './test-runs.mjs' */

export const seeds = 50;
export const firstFlow = 'test/flow/walking-skeleton.test.ts';

const minute = 60_000;
const suiteMsMax = 6 * minute;

/** @param {Tally} tally */
export async function runSuites(tally) {
  /** @param {string} title @param {readonly string[]} words */
  const run = (title, words, env = {}) =>
    tally.vitest(title, words, { env, timeoutMs: suiteMsMax });
  const many = { EDGEWISE_SEEDS: String(seeds) };
  await run(`fast tests, ${seeds} seeds`, ['--project', 'fast'], many);
  await run('parts', ['--project', 'parts']);
  await run('one flow', ['--project', 'flow', firstFlow]);
}
