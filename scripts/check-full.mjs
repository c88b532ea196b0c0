/**
 * `npm run check:full`: everything, within the time of one CI run. The static checks, what `npm
 * test` runs, the agent's shipped binaries, all flows, the dashboard in a real browser, everything
 * that has a database under it on the second engine, and many more simulated seeds. What cannot run
 * here is named with its reason.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { engineSuite, engines, whyNotOn } from './engine-suite.mjs';
import { ensureHostPackages } from './host-packages.mjs';
import { ensurePackages } from './packages.mjs';
import { root } from './repository.mjs';
import { runStaticChecks } from './static-checks.mjs';
import { firstFlow, seeds as firstSeeds, runSuites } from './suites.mjs';
import { ensureDashboard, ensureSynthesis } from './synthesis.mjs';
import { runTally } from './test-runs.mjs';

/** @import { Tally } from './test-runs.mjs' */

const minute = 60_000;
const budget = {
  agentBinaries: 6 * minute,
  flow: 15 * minute,
  secondEngine: 20 * minute,
  browser: 8 * minute,
  seeds: 8 * minute,
  newcomer: 8 * minute,
};
const seeds = 200;
const seedRuns = 2;
const inBrowser = 'test/browser/';

/** What is missing here, with the reason. @typedef {ReadonlyMap<string, string>} Missing */

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
  await runBrowser(tally, missing);
  await runSecondEngine(tally, missing);
  await runSeeds(tally);
  await tally.tool("a newcomer's path", ['scripts/newcomer.mjs'], { timeoutMs: budget.newcomer });
});

/**
 * The agent's tests once more, on what is shipped. Answers what the flows need for the arm64
 * binary.
 *
 * @param {Tally} tally
 * @returns {Promise<NodeJS.ProcessEnv>}
 */
async function runAgentBinaries(tally) {
  const build = ['scripts/build-agent.ts'];
  const isBuilt = await tally.tool('agent binaries', build, { timeoutMs: budget.agentBinaries });
  if (!isBuilt) return {};
  const binary = (/** @type {string} */ kind) => join(root, 'dist', `edgewise-agent-linux-${kind}`);
  if (process.arch !== 'x64') {
    tally.leaveOut('agent tests on the x64 binary', `this machine is ${process.arch}`);
  } else {
    const run = { env: { EDGEWISE_AGENT_BINARY: binary('x64') }, timeoutMs: budget.agentBinaries };
    const tests = filesWith('test/edge-agent', 'agent-runner.ts');
    await tally.vitest('agent tests on the x64 binary', tests, run);
    const flows = filesWith('test/flow/edge-agent', 'startAgentProcess(');
    await tally.vitest('agent flows on the x64 binary', ['--project', 'flow', ...flows], run);
  }
  return { EDGEWISE_AGENT_ARM64: binary('arm64') };
}

/**
 * The test files of a folder in which this occurs: those that start an agent; the others never
 * touch the binary.
 *
 * @param {string} folder
 * @param {string} words
 */
function filesWith(folder, words) {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  const tests = names.filter((name) => name.endsWith('.test.ts')).map((name) => join(folder, name));
  return tests.filter((path) => readFileSync(join(root, path), 'utf8').includes(words));
}

/** @param {Tally} tally @param {NodeJS.ProcessEnv} env */
async function runFlows(tally, env) {
  await tally.vitest('other flows', ['--project', 'flow', '--exclude', firstFlow], {
    env: { ...env, KILLS: '200' },
    timeoutMs: budget.flow,
  });
}

/**
 * The engine suite ran on the first engine with what came before; here it runs on the other.
 *
 * @param {Tally} tally
 * @param {Missing} missing
 */
async function runSecondEngine(tally, missing) {
  const first = process.env.EDGEWISE_DATABASE ?? engines[0];
  const second = engines.find((engine) => engine !== first) ?? engines[0];
  const title = `the engine suite on ${second}`;
  const reason = whyNotOn(second);
  if (reason !== null) return tally.leaveOut(title, reason);
  const noBrowser = missing.has('chromium') ? inBrowser : null;
  const suite = engineSuite().filter((file) => noBrowser === null || !file.startsWith(noBrowser));
  const hasPassed = await tally.vitest(title, suite, {
    env: { EDGEWISE_DATABASE: second },
    timeoutMs: budget.secondEngine,
  });
  if (!hasPassed) return;
  const [passedFirst, passedSecond] = [tally.passedOn(first), tally.passedOn(second)];
  const unlike = suite
    .filter((file) => passedFirst[file] === undefined || passedFirst[file] !== passedSecond[file])
    .map((file) => {
      const [one, two] = [passedFirst[file] ?? 'none', passedSecond[file] ?? 'none'];
      return `${file}: of its tests passed ${one} on ${first}, ${two} on ${second}`;
    });
  tally.compare(`the same ${suite.length} files passed on both engines`, unlike);
}

/** @param {Tally} tally @param {Missing} missing */
async function runBrowser(tally, missing) {
  const reason = missing.get('chromium');
  if (reason !== undefined) return tally.leaveOut('browser tests', reason);
  await ensureDashboard();
  await tally.vitest('browser tests', ['--project', 'browser'], { timeoutMs: budget.browser });
}

/**
 * One core each; what a seed does depends on nothing but its number.
 *
 * @param {Tally} tally
 */
async function runSeeds(tally) {
  const share = seeds / seedRuns;
  const runs = Array.from({ length: seedRuns }, (_, run) => {
    const from = firstSeeds + 1 + run * share;
    const words = ['--from', String(from), '--seeds', String(share)];
    const title = `simulated seeds ${from} to ${from + share - 1}`;
    return tally.tool(title, ['test/sim/run-simulation.ts', ...words], { timeoutMs: budget.seeds });
  });
  await Promise.all(runs);
}
