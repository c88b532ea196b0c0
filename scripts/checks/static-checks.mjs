/**
 * What reads the code without running it: format and lint, types, and what nobody uses. Side by
 * side, they take seconds.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../repository.mjs';

/** @import { Tally } from './test-runs.mjs' */

const bin = (/** @type {string[]} */ ...path) => join(root, 'node_modules', ...path);

const biomeWords = ['ci', '--error-on-warnings', '--diagnostic-level=warn', '--colors=off', '.'];

/** @param {Tally} tally */
export async function runStaticChecks(tally) {
  const tsc = bin('typescript', 'bin', 'tsc');
  /** @type {[title: string, words: string[]][]} */
  const checks = [
    ['format and lint', [bin('@biomejs', 'biome', 'bin', 'biome'), ...biomeWords]],
    ['types', [tsc, '-p', '.']],
    ['licences', [join(root, 'scripts', 'check-licences.mjs')]],
    ['unused code', [bin('knip', 'bin', 'knip.js'), '--no-progress']],
  ];
  if (existsSync(join(root, 'dashboard', 'tsconfig.json'))) {
    checks.push(['types of the dashboard', [tsc, '-p', 'dashboard']]);
  }
  const results = await Promise.all(checks.map(([title, words]) => tally.tool(title, words)));
  return results.every((good) => good);
}
