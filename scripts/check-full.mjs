/**
 * `npm run check:full`: everything, within the time of one CI run. The static checks, what `npm
 * test` runs, the agent's shipped binaries, all flows, the second database engine, the dashboard in
 * a real browser, and many more simulated seeds. What cannot run here is named with its reason.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ensureHostPackages } from './host-packages.mjs';
import { ensurePackages } from './packages.mjs';
import { root } from './repository.mjs';
import { runStaticChecks } from './static-checks.mjs';
import { firstFlow, seeds as firstSeeds, runSuites } from './suites.mjs';
import { ensureDashboard, ensureSynthesis } from './synthesis.mjs';
import { runTally } from './test-runs.mjs';

const minute = 60_000;
const budget = {
  agentBinaries: 6 * minute,
  flow: 12 * minute,
  secondEngine: 5 * minute,
  browser: 6 * minute,
  seeds: 4 * minute,
  newcomer: 4 * minute,
};
const seeds = 200;
const javaNeeded = 17;

/** The tests that start an agent; the others never touch the binary. */
const onBinary = [
  'bad-network',
  'foreign-executors',
  'host',
  'journal',
  'process-chunks',
  'simulated-work',
].map((name) => `test/edge-agent/${name}.test.ts`);
/** Where another engine could behave differently: streams, transactions, conditions, restarts. */
const onSecondEngine = [
  firstFlow,
  'test/flow/api/gateway.test.ts',
  'test/flow/killed-plane.test.ts',
  'test/local/cloud.test.ts',
  'test/local/gateway/gateway.test.ts',
];

await runTally(async (tally) => {
  ensurePackages();
  const missing = await tally.time('host packages', () => ensureHostPackages());
  await runStaticChecks(tally);
  await ensureSynthesis();
  for (const [name, reason] of missing) {
    if (name !== 'chromium') tally.leaveOut(`tests that need ${name}`, reason);
  }
  await runSuites(tally);
  const arm64 = await runAgentBinaries(tally);
  await runFlows(tally, arm64);
  await runSecondEngine(tally);
  await runBrowser(tally, missing);
  await runSeeds(tally);
  await tally.tool("a newcomer's path", ['scripts/newcomer.mjs'], { timeoutMs: budget.newcomer });
});

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
    await tally.vitest('agent tests on the x64 binary', onBinary, run);
    const flows = ['hostile-chunks', 'killed-agent'].map((name) => `test/flow/edge-agent/${name}`);
    await tally.vitest('agent flows on the x64 binary', ['--project', 'flow', ...flows], run);
  }
  return { EDGEWISE_AGENT_ARM64: binary('arm64') };
}

async function runFlows(tally, env) {
  await tally.vitest('other flows', ['--project', 'flow', '--exclude', firstFlow], {
    env: { ...env, KILLS: '200' },
    timeoutMs: budget.flow,
  });
}

async function runSecondEngine(tally) {
  const title = 'DynamoDB Local instead of dynoxide';
  const reason = noJava();
  if (reason !== null) return tally.leaveOut(title, reason);
  const words = ['--project', 'flow', '--project', 'parts', ...onSecondEngine];
  await tally.vitest(title, words, {
    env: { EDGEWISE_DATABASE: 'dynamodb-local' },
    timeoutMs: budget.secondEngine,
  });
}

async function runBrowser(tally, missing) {
  const reason = missing.get('chromium');
  if (reason !== undefined) return tally.leaveOut('browser tests', reason);
  await ensureDashboard();
  await tally.vitest('browser tests', ['--project', 'browser'], { timeoutMs: budget.browser });
}

async function runSeeds(tally) {
  const words = ['--from', String(firstSeeds + 1), '--seeds', String(seeds)];
  await tally.tool(`${seeds} more simulated seeds`, ['test/sim/run-simulation.ts', ...words], {
    timeoutMs: budget.seeds,
  });
}

function noJava() {
  const { status, stderr } = spawnSync('java', ['-version'], { encoding: 'utf8' });
  if (status !== 0) return 'there is no Java on this machine';
  const major = Number(/version "(\d+)/.exec(stderr)?.[1] ?? 0);
  return major >= javaNeeded ? null : `it needs Java ${javaNeeded}, and this is ${major}`;
}
