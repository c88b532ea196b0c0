/** `npm run check`: what every commit must pass, in under a minute. */
import { ensurePackages } from './packages.mjs';
import { runStaticChecks } from './static-checks.mjs';
import { runTally } from './test-runs.mjs';

await runTally(async (tally) => {
  ensurePackages();
  await runStaticChecks(tally);
  await tally.vitest('fast tests, 30 seeds', ['--project', 'fast']);
});
