/**
 * `npm start`: everything on this machine with one command. Installs and synthesizes when needed,
 * starts the local cloud, ten simulated edges, the random job requester and the dashboard, says
 * what to try, and shows the pulse until Ctrl-C.
 */
import { join, resolve } from 'node:path';
import { startChildProcess } from './process/child-process.mjs';
import { untilEnded } from './process/shutdown-signal.mjs';
import { endWith, messageOf, Stop } from './repository.mjs';
import { cloudOptions, readCloudFlags, readFlags, readNumber } from './setup/flags.mjs';
import { startSummary } from './setup/live-summary.mjs';
import { refuseSecond, startCloud } from './setup/local-cloud.mjs';
import { ensurePackages } from './setup/packages.mjs';
import { ensureDashboard, ensureSynthesis } from './setup/synthesis.mjs';

/** @import { StartedProcess } from './process/child-process.mjs' */
/** @import { Endpoints } from './setup/local-cloud.mjs' */

const usage = `Usage: npm start -- [flags]
  --edges N          simulated edges edge-10, edge-11, … (10; 0 for none)
  --no-requests      no random jobs
  --no-dashboard     no dashboard
  --port-base N      first of the ports it uses (4566)
  --state DIR        where everything is kept (EDGEWISE_STATE, else .edgewise)
  --database NAME    dynoxide or dynamodb-local
  --stage NAME       which deployment it stands for (production)
  --stream-shards N  shards of each table's stream (1)
  --allow-host NAME  a name under which a tunnel or proxy leads here; may be repeated
  --parameter NAME=VALUE  of the stack; may be repeated`;

/** @typedef {{ 'no-requests'?: boolean }} Wishes */

const firstEdge = 10;
const edgesDefault = 10;
const edgesMax = 2_000;
const cloudGraceMs = 15_000;
const otherGraceMs = 6_000;

async function main() {
  const values = readFlags(
    {
      ...cloudOptions,
      edges: { type: 'string' },
      'no-requests': { type: 'boolean' },
      'no-dashboard': { type: 'boolean' },
    },
    usage,
  );
  if (values.help) return console.log(usage);
  const flags = readCloudFlags(values);
  const edges = readNumber(values.edges, 'edges', 0, edgesMax) ?? edgesDefault;
  await refuseSecond(flags.state);
  const asked = untilEnded();
  ensurePackages();
  const [dashboard] = await Promise.all([
    values['no-dashboard'] ? null : buildDashboard(),
    ensureSynthesis(flags.stage),
  ]);
  const { cloud, endpoints } = await startCloud({ ...flags, dashboard });
  const others = [];
  try {
    others.push(...startStage(flags, edges, values, endpoints));
    const needed = [cloud, ...others];
    const page = dashboard === null ? undefined : endpoints.outputs.DashboardUrl;
    greet({ ...endpoints, dashboard: page }, flags, values);
    const summary = startSummary(endpoints);
    const first = await Promise.race([asked.then(() => null), ...needed.map(named)]);
    summary.stop();
    if (first !== null) throw new Stop(sentenceOf(first));
    console.log('Stopping …');
  } finally {
    await Promise.all(others.map((one) => one.stop(otherGraceMs)));
    await cloud.stop(cloudGraceMs);
  }
  console.log('Stopped. "npm start" goes on where it was.');
}

/** @param {StartedProcess} child */
function named(child) {
  return child.ended.then(() => child);
}

/** @param {StartedProcess} child */
function sentenceOf(child) {
  const said = child.lastLines().at(-1);
  return `The ${child.name} ended by itself${said === undefined ? '.' : `: ${said}`}`;
}

/**
 * @param {{ state: string }} flags
 * @param {number} edges
 * @param {Wishes} values
 * @param {Endpoints} endpoints
 */
function startStage({ state }, edges, values, endpoints) {
  const env = { EDGEWISE_API: endpoints.api, EDGEWISE_TOKEN: endpoints.token };
  /** @param {string} name @param {readonly string[]} args */
  const client = (name, args) =>
    startChildProcess({
      name,
      script: 'cli/main.ts',
      args,
      env,
      logPath: join(state, 'log', `${name.replaceAll(' ', '-')}.log`),
    });
  const stage = [];
  if (edges > 0) {
    const range = [String(firstEdge), String(firstEdge + edges)];
    stage.push(client('simulated edges', ['fleet', ...range, '--data', join(state, 'edges')]));
  }
  if (!values['no-requests']) stage.push(client('job requester', ['request']));
  return stage;
}

/** The stage is worth having without its picture: what hinders it is said, the rest goes on. */
async function buildDashboard() {
  try {
    return await ensureDashboard();
  } catch (error) {
    console.error(`No dashboard: ${messageOf(error)}`);
    return null;
  }
}

/**
 * @param {{ api: string, token: string, dashboard: string | undefined }} place
 * @param {{ state: string }} flags
 * @param {Wishes} values
 */
function greet({ api, token, dashboard }, { state }, values) {
  // The client finds a cloud in .edgewise by itself; one that is kept elsewhere has to be named.
  const where = resolve(state);
  const isFound = where === join(process.cwd(), '.edgewise');
  const lines = [
    '',
    'Edgewise runs on this machine.',
    '',
    `  API         ${api}    (explorer: ${api}/docs)`,
    ...(dashboard === undefined ? [] : [`  Dashboard   ${dashboard}/#token=${token}`]),
    `  Token       ${token}`,
    '',
    'Try, in another terminal:',
    ...(isFound ? [] : [`  export EDGEWISE_STATE=${where}`]),
    '  npx edgewise submit --power 403 --wait',
    '  npx edgewise status',
    values['no-requests'] ? '  npx edgewise request' : '  npx edgewise fleet 100 110',
    '',
    `Ctrl-C stops everything; the state stays in ${state}.`,
    '',
  ];
  console.log(lines.join('\n'));
}

await main().catch(endWith);
process.exit();
