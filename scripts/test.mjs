/**
 * `npm test`: what a fresh clone must pass, alone and in minutes. The rest is `npm run check:full`.
 */
import { ensurePackages } from './packages.mjs';
import { runSuites } from './suites.mjs';
import { ensureSynthesis } from './synthesis.mjs';
import { runTally } from './test-runs.mjs';

await runTally(async (tally) => {
  await tally.time('packages', () => ensurePackages());
  await tally.time('synthesis', () => ensureSynthesis());
  await runSuites(tally);
});
