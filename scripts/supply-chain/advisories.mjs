/**
 * What the registry knows of weaknesses in the packages of the lock file. It is asked with `npm
 * audit`; one that does not serve advisories (a mirror, a machine without a network) leaves the
 * question open, which is said and is no failure.
 */
import { spawnSync } from 'node:child_process';
import { root, toolEnvironment } from '../repository.mjs';

/** @import { LockedPackage } from './lock-file.mjs' */

/** @typedef {{ title?: string, url?: string, severity?: string }} Advisory */
/** @typedef {{ name: string, via: (string | Advisory)[], nodes: string[] }} Finding */
/** @typedef {{ kind: 'unknown', reason: string }} Unknown */
/** @typedef {Unknown | { kind: 'known', findings: string[] }} Verdict */
/** @typedef {{ message?: string, error?: { code?: string, summary?: string } }} Refusal */
/** @typedef {Refusal & { vulnerabilities?: Record<string, Finding> }} Report */

const askMsMax = 60_000;

const severities = ['info', 'low', 'moderate', 'high', 'critical'];
/** What is shipped meets strangers; a tool meets only this repository. */
const worst = { shipped: 'moderate', tool: 'high' };

/** Advisories that do not concern this project: the address of each, and why. */
const accepted = /** @type {ReadonlyMap<string, string>} */ (new Map());

/** @param {readonly LockedPackage[]} packages */
export function askRegistry(packages) {
  const npm = process.env.npm_execpath;
  const words = ['audit', '--json'];
  const [command, args] = npm === undefined ? ['npm', words] : [process.execPath, [npm, ...words]];
  const env = toolEnvironment();
  const asked = spawnSync(command, args, { cwd: root, env, encoding: 'utf8', timeout: askMsMax });
  return verdictOn(asked.stdout ?? '', packages);
}

/**
 * @param {string} text What `npm audit --json` printed.
 * @param {readonly LockedPackage[]} packages
 * @param {ReadonlyMap<string, string>} without
 * @returns {Verdict}
 */
export function verdictOn(text, packages, without = accepted) {
  const report = read(text);
  const findings = report?.vulnerabilities;
  if (typeof findings !== 'object' || findings === null) {
    return { kind: 'unknown', reason: whyNot(report) };
  }
  const tools = new Set(packages.filter(({ isTool }) => isTool).map(({ path }) => path));
  const found = Object.values(findings);
  return { kind: 'known', findings: found.flatMap((one) => sentencesOf(one, tools, without)) };
}

/**
 * Its own advisories; what it has from packages that it depends on is named at those.
 *
 * @param {Finding} finding
 * @param {ReadonlySet<string>} tools
 * @param {ReadonlyMap<string, string>} without
 */
function sentencesOf({ name, via, nodes }, tools, without) {
  const isTool = nodes.length > 0 && nodes.every((path) => tools.has(path));
  const least = severities.indexOf(isTool ? worst.tool : worst.shipped);
  return via.flatMap((one) => {
    if (typeof one === 'string' || without.has(one.url ?? '')) return [];
    const { severity = 'critical', title = 'no title', url = '' } = one;
    // A word that is not known is taken for the worst.
    const rank = severities.includes(severity) ? severities.indexOf(severity) : severities.length;
    return rank < least
      ? []
      : [`${name} (${isTool ? 'tool' : 'shipped'}): ${severity}: ${title} ${url}`];
  });
}

/** @param {string} text @returns {Report | null} */
function read(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** @param {Report | null} report */
function whyNot(report) {
  const said = report?.message || report?.error?.summary || report?.error?.code;
  const reason = typeof said === 'string' && said !== '' ? said.split('\n')[0] : 'npm said nothing';
  return `the registry does not serve advisories: ${reason}`;
}
