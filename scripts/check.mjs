/** `npm run check`: what every commit must pass, in under a minute. */
import { ensurePackages } from './packages.mjs';
import { endWith } from './repository.mjs';
import { runStaticChecks } from './static-checks.mjs';
import { startTally } from './test-runs.mjs';

try {
  ensurePackages();
  const tally = startTally();
  await runStaticChecks(tally);
  await tally.vitest('fast tests', ['--project', 'fast']);
  tally.close();
} catch (error) {
  endWith(error);
}
