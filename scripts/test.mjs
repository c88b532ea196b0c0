/**
 * `npm test`: what a fresh clone must pass, alone and in minutes. Everything pure or in memory,
 * fifty simulated seeds among it, and one flow that boots the real local cloud with real agent
 * processes. The rest is in `npm run check:full`.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ensurePackages } from './packages.mjs';
import { endWith, root } from './repository.mjs';
import { ensureSynthesis } from './synthesis.mjs';
import { startTally } from './test-runs.mjs';

const seeds = '50';
const flow = 'test/flow/walking-skeleton.test.ts';

try {
  ensurePackages();
  await ensureSynthesis();
  const tally = startTally();
  await tally.vitest('fast tests', ['--project', 'fast']);
  await tally.tool(`${seeds} simulated seeds`, ['test/sim/run-simulation.ts', '--seeds', seeds]);
  if (existsSync(join(root, flow))) await tally.vitest('one flow', ['--project', 'flow', flow]);
  else tally.leaveOut('one flow', `${flow} is not there`);
  tally.close();
} catch (error) {
  endWith(error);
}
