/**
 * `npm test`: what a fresh clone must pass, alone and in minutes. The rest is `npm run check:full`.
 */

import { runSuites } from './checks/suites.mjs';
import { runTally } from './checks/test-runs.mjs';
import { ensurePackages } from './setup/packages.mjs';
import { ensureSynthesis } from './setup/synthesis.mjs';

await runTally(async (tally) => {
  await tally.time('packages', () => ensurePackages());
  await tally.time('synthesis', () => ensureSynthesis());
  await runSuites(tally);
});
