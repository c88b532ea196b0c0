/**
 * `npm run check:full`: everything, within the time of one CI run. The static checks, all flows on
 * both database engines, the dashboard in a real browser, and many more simulated seeds. What
 * cannot run here is named with its reason.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ensureHostPackages } from './host-packages.mjs';
import { ensurePackages } from './packages.mjs';
import { endWith, root } from './repository.mjs';
import { runStaticChecks } from './static-checks.mjs';
import { ensureDashboard, ensureSynthesis } from './synthesis.mjs';
import { startTally } from './test-runs.mjs';

const minute = 60_000;
const budget = {
  flow: 8 * minute,
  secondEngine: 5 * minute,
  browser: 4 * minute,
  seeds: 4 * minute,
  newcomer: 4 * minute,
};
const seeds = '250';

try {
  ensurePackages();
  const tally = startTally();
  const missing = ensureHostPackages();
  await runStaticChecks(tally);
  await ensureSynthesis();
  for (const [name, reason] of missing) {
    if (name !== 'chromium') tally.leaveOut(`tests that need ${name}`, reason);
  }
  await runFlows(tally);
  await runBrowser(tally, missing);
  await runSeeds(tally);
  await tally.tool("a newcomer's path", ['scripts/newcomer.mjs'], { timeoutMs: budget.newcomer });
  tally.close();
} catch (error) {
  endWith(error);
}

async function runFlows(tally) {
  if (!hasTests('test/flow')) return tally.leaveOut('flows', 'there are none');
  await tally.vitest('flows on dynoxide', ['--project', 'flow'], {
    env: { EDGEWISE_DATABASE: 'dynoxide' },
    timeoutMs: budget.flow,
  });
  if (!hasJava())
    return tally.leaveOut('flows on DynamoDB Local', 'there is no Java on this machine');
  await tally.vitest('flows on DynamoDB Local', ['--project', 'flow'], {
    env: { EDGEWISE_DATABASE: 'dynamodb-local' },
    timeoutMs: budget.secondEngine,
  });
}

async function runBrowser(tally, missing) {
  if (!hasTests('test/browser')) return tally.leaveOut('browser tests', 'there are none');
  const reason = missing.get('chromium');
  if (reason !== undefined) return tally.leaveOut('browser tests', reason);
  await ensureDashboard();
  await tally.vitest('browser tests', ['--project', 'browser'], { timeoutMs: budget.browser });
}

async function runSeeds(tally) {
  await tally.tool(`${seeds} simulated seeds`, ['test/sim/run-simulation.ts', '--seeds', seeds], {
    timeoutMs: budget.seeds,
  });
}

function hasTests(folder) {
  const path = join(root, folder);
  if (!existsSync(path)) return false;
  return readdirSync(path, { recursive: true }).some((file) => String(file).endsWith('.test.ts'));
}

function hasJava() {
  return spawnSync('java', ['-version']).status === 0;
}
