/**
 * `npm run check:full`: everything, within the time of one CI run. The static checks, what `npm
 * test` runs, what judges the tests, the agent's shipped binaries, all flows, the dashboard in a
 * real browser, everything that has a database under it on the second engine, and many more
 * simulated seeds. What cannot run here is named with its reason.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { engineSuite, engines, whyNotOn } from './checks/engine-suite.mjs';
import { runStaticChecks } from './checks/static-checks.mjs';
import { seeds as firstSeeds, runJudges, runSuites } from './checks/suites.mjs';
import { runTally } from './checks/test-runs.mjs';
import { root } from './repository.mjs';
import { containerPackages, ensureHostPackages } from './setup/host-packages.mjs';
import { ensureNodeTools } from './setup/node-tools.mjs';
import { ensurePackages } from './setup/packages.mjs';
import { ensurePythonTool } from './setup/python-tools.mjs';
import { ensureDashboard, ensureSynthesis } from './setup/synthesis.mjs';
import { askRegistry } from './supply-chain/advisories.mjs';
import { lockedPackages } from './supply-chain/lock-file.mjs';

/** @import { Tally } from './checks/test-runs.mjs' */

const minute = 60_000;
const budget = {
  templateLint: 2 * minute,
  openApiLint: 4 * minute,
  miniStack: 10 * minute,
  containers: 3 * minute,
  agentBinaries: 6 * minute,
  flow: 20 * minute,
  secondEngine: 30 * minute,
  browser: 8 * minute,
  oneShard: 6 * minute,
  seeds: 8 * minute,
  readmeJourney: 8 * minute,
  packages: 12 * minute,
};
const seeds = 200;
const seedRuns = 2;
const streamShards = 4;
const mainFlows = [
  'test/flow/api/gateway.test.ts',
  'test/flow/edge-agent/real-control-plane.test.ts',
  'test/flow/killed-edge.test.ts',
  'test/flow/sdk-program.test.ts',
];
const inContainers = 'test/edge-agent/container-chunks.slow.test.ts';
const inBrowser = 'test/browser/';

const firstEngine = process.env.EDGEWISE_DATABASE ?? engines[0];
const secondEngine = engines.find((engine) => engine !== firstEngine) ?? engines[0];

/** What is missing here, with the reason. @typedef {ReadonlyMap<string, string>} Missing */

await runTally(async (tally) => {
  ensurePackages();
  const missing = await tally.time('host packages', () => ensureHostPackages());
  await runStaticChecks(tally);
  askForAdvisories(tally);
  await ensureSynthesis();
  await runTemplateLint(tally);
  await runOpenApiLint(tally);
  for (const [name, reason] of missing) {
    if (name !== 'chromium') tally.leaveOut(`tests that need ${name}`, reason);
  }
  await runSuites(tally);
  await runContainers(tally, missing);
  await runJudges(tally);
  const arm64 = await runAgentBinaries(tally);
  await runFlows(tally, arm64);
  await runOnMiniStack(tally);
  await runFlowsOnOneShard(tally);
  await runBrowser(tally, missing);
  await runSecondEngine(tally, missing);
  await runSeeds(tally);
  await tally.tool('packages for hosts', ['scripts/test-packages.mjs'], {
    timeoutMs: budget.packages,
  });
  await tally.tool('the journey of the README', ['scripts/readme-journey.mjs'], {
    timeoutMs: budget.readmeJourney,
  });
});

/** @param {Tally} tally */
function askForAdvisories(tally) {
  const verdict = askRegistry(lockedPackages());
  if (verdict.kind === 'unknown') return tally.leaveOut('advisories', verdict.reason);
  return tally.compare('advisories', verdict.findings);
}

/**
 * `npm test` installs nothing on the host: what it left out where no engine was there runs here.
 *
 * @param {Tally} tally @param {Missing} missing
 */
async function runContainers(tally, missing) {
  const title = 'containers on podman';
  const lacking = containerPackages.find(({ name }) => missing.has(name));
  if (lacking !== undefined) return tally.leaveOut(title, missing.get(lacking.name) ?? '');
  if ((tally.passedOn(engines[0])[inContainers] ?? 0) > 0) return;
  const run = { timeoutMs: budget.containers, runsAgain: true };
  await tally.vitest(title, ['--project', 'parts', inContainers], run);
}

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
  const again = [...build, '--verify'];
  await tally.tool('the same binaries again', again, { timeoutMs: budget.agentBinaries });
  const binary = (/** @type {string} */ kind) => join(root, 'dist', `edgewise-agent-linux-${kind}`);
  if (process.arch !== 'x64') {
    tally.leaveOut('agent tests on the x64 binary', `this machine is ${process.arch}`);
  } else {
    const env = { EDGEWISE_AGENT_BINARY: binary('x64') };
    const run = { env, timeoutMs: budget.agentBinaries, runsAgain: true };
    const tests = filesWith('test/edge-agent', /\bagent-(runner|stage)\.ts'/);
    await tally.vitest('agent tests on the x64 binary', tests, run);
    const flows = filesWith('test/flow/edge-agent', /\bstartAgentProcess\(/);
    await tally.vitest('agent flows on the x64 binary', ['--project', 'flow', ...flows], run);
  }
  return { EDGEWISE_AGENT_ARM64: binary('arm64') };
}

/**
 * The test files of a folder in which this occurs: those that start an agent; the others never
 * touch the binary.
 *
 * @param {string} folder
 * @param {RegExp} words
 */
function filesWith(folder, words) {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  const tests = names.filter((name) => name.endsWith('.test.ts')).map((name) => join(folder, name));
  return tests.filter((path) => words.test(readFileSync(join(root, path), 'utf8')));
}

/** @param {Tally} tally */
async function runTemplateLint(tally) {
  const { reason } = ensurePythonTool('cfn-lint');
  if (reason !== null) return tally.leaveOut('the template by cfn-lint', reason);
  const words = ['scripts/lint-template.mjs'];
  await tally.tool('the template by cfn-lint', words, { timeoutMs: budget.templateLint });
}

/** @param {Tally} tally */
async function runOpenApiLint(tally) {
  const title = 'the OpenAPI document by others';
  const reason = ensureNodeTools('openapi').reason ?? ensurePythonTool('openapi').reason;
  if (reason !== null) return tally.leaveOut(title, reason);
  await tally.tool(title, ['scripts/lint-openapi.mjs'], { timeoutMs: budget.openApiLint });
}

/** @param {Tally} tally */
async function runOnMiniStack(tally) {
  const { reason } = ensurePythonTool('ministack');
  if (reason !== null) return tally.leaveOut('the stack on MiniStack', reason);
  const words = ['scripts/test-ministack.mjs'];
  const run = { timeoutMs: budget.miniStack };
  await tally.tool('the stack on MiniStack', words, run);
  await tally.tool('the stack on MiniStack, policies enforced', [...words, '--auth'], run);
}

/**
 * Every flow on a table whose stream has several shards, as that of a larger table has on AWS: only
 * the records of one partition key are in order.
 *
 * @param {Tally} tally
 * @param {NodeJS.ProcessEnv} env
 */
async function runFlows(tally, env) {
  await tally.vitest(`flows on ${streamShards} stream shards`, ['--project', 'flow'], {
    env: { ...env, KILLS: '200', EDGEWISE_STREAM_SHARDS: String(streamShards) },
    timeoutMs: budget.flow,
    runsAgain: true,
  });
}

/**
 * The main flows once more as a small table has them, where the second engine, which has all of
 * them so, cannot run; the first one ran so with `npm test`.
 *
 * @param {Tally} tally
 */
async function runFlowsOnOneShard(tally) {
  if (whyNotOn(secondEngine) === null) return;
  await tally.vitest('main flows on one stream shard', ['--project', 'flow', ...mainFlows], {
    timeoutMs: budget.oneShard,
    runsAgain: true,
  });
}

/**
 * The engine suite ran on the first engine with what came before; here it runs on the other.
 *
 * @param {Tally} tally
 * @param {Missing} missing
 */
async function runSecondEngine(tally, missing) {
  const [first, second] = [firstEngine, secondEngine];
  const title = `the engine suite on ${second}`;
  const reason = whyNotOn(second);
  if (reason !== null) return tally.leaveOut(title, reason);
  const noBrowser = missing.has('chromium') ? inBrowser : null;
  const suite = engineSuite().filter((file) => noBrowser === null || !file.startsWith(noBrowser));
  const hasPassed = await tally.vitest(title, suite, {
    env: { EDGEWISE_DATABASE: second },
    timeoutMs: budget.secondEngine,
    runsAgain: true,
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
  await tally.vitest('browser tests', ['--project', 'browser'], {
    timeoutMs: budget.browser,
    runsAgain: true,
  });
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
    const to = from + share - 1;
    const words = ['test/sim/run-simulation.ts', '--seeds', `${from}-${to}`];
    return tally.tool(`simulated seeds ${from} to ${to}`, words, { timeoutMs: budget.seeds });
  });
  await Promise.all(runs);
}
