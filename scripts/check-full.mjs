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
  agentBinaries: 6 * minute,
  flow: 9 * minute,
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
  const arm64 = await runAgentBinaries(tally);
  await runFlows(tally, arm64);
  await runBrowser(tally, missing);
  await runSeeds(tally);
  await tally.tool("a newcomer's path", ['scripts/newcomer.mjs'], { timeoutMs: budget.newcomer });
  tally.close();
} catch (error) {
  endWith(error);
}

/** The agent's tests once more, on what is shipped. Answers what the flows need for the arm64 binary. */
async function runAgentBinaries(tally) {
  const build = ['scripts/build-agent.ts'];
  const isBuilt = await tally.tool('agent binaries', build, { timeoutMs: budget.agentBinaries });
  if (!isBuilt) return {};
  const binary = (kind) => join(root, 'dist', `edgewise-agent-linux-${kind}`);
  if (process.arch !== 'x64') {
    tally.leaveOut('agent tests on the x64 binary', `this machine is ${process.arch}`);
  } else {
    const run = { env: { EDGEWISE_AGENT_BINARY: binary('x64') }, timeoutMs: budget.agentBinaries };
    await tally.vitest('agent tests on the x64 binary', ['test/edge-agent'], run);
    const flows = ['hostile-chunks', 'killed-agent'].map((name) => `test/flow/edge-agent/${name}`);
    await tally.vitest('agent flows on the x64 binary', ['--project', 'flow', ...flows], run);
  }
  return { EDGEWISE_AGENT_ARM64: binary('arm64') };
}

async function runFlows(tally, env) {
  if (!hasTests('test/flow')) return tally.leaveOut('flows', 'there are none');
  await tally.vitest('flows on dynoxide', ['--project', 'flow'], {
    env: { ...env, EDGEWISE_DATABASE: 'dynoxide', KILLS: '200' },
    timeoutMs: budget.flow,
  });
  if (!hasJava())
    return tally.leaveOut('flows on DynamoDB Local', 'there is no Java on this machine');
  await tally.vitest('flows on DynamoDB Local', ['--project', 'flow'], {
    env: { ...env, EDGEWISE_DATABASE: 'dynamodb-local' },
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
