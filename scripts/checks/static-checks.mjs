/**
 * What reads the code without running it: format and lint, types, and what nobody uses. Side by
 * side, they take seconds.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../repository.mjs';

/** @import { Tally } from './test-runs.mjs' */

const bin = (/** @type {string[]} */ ...path) => join(root, 'node_modules', ...path);

/**
 * What the compiler found last time, so that it looks only at what has changed since: by what is in
 * the files, its own version and its options. `npm ci` takes it away.
 */
const found = join(root, 'node_modules', '.cache', 'edgewise');

/**
 * In one thread: several look at the same types anew, and the tests beside them keep every core.
 *
 * @param {string} project
 */
function typeWords(project) {
  const path = join(found, `${project === '.' ? 'all' : project}.tsbuildinfo`);
  const again = ['--incremental', '--tsBuildInfoFile', path];
  return [bin('typescript', 'bin', 'tsc'), '-p', project, '--singleThreaded', ...again];
}

const biomeWords = ['ci', '--error-on-warnings', '--diagnostic-level=warn', '--colors=off', '.'];

/** @param {Tally} tally */
export async function runStaticChecks(tally) {
  /** @type {[title: string, words: string[]][]} */
  const checks = [
    ['format and lint', [bin('@biomejs', 'biome', 'bin', 'biome'), ...biomeWords]],
    ['types', typeWords('.')],
    ['licences', [join(root, 'scripts', 'check-licences.mjs')]],
    ['unused code', [bin('knip', 'bin', 'knip.js'), '--no-progress']],
  ];
  if (existsSync(join(root, 'dashboard', 'tsconfig.json'))) {
    checks.push(['types of the dashboard', typeWords('dashboard')]);
  }
  const results = await Promise.all(checks.map(([title, words]) => tally.tool(title, words)));
  return results.every((good) => good);
}
