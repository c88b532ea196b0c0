/** `npm run check`: what every commit must pass, in under a minute. */

import { runStaticChecks } from './checks/static-checks.mjs';
import { runTally } from './checks/test-runs.mjs';
import { ensurePackages } from './setup/packages.mjs';

await runTally(async (tally) => {
  ensurePackages();
  // Side by side: the tests are over when their longest file is, which keeps one core.
  await Promise.all([
    runStaticChecks(tally),
    tally.vitest('fast tests, 30 seeds', ['--project', 'fast']),
  ]);
});
