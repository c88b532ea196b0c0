import { readFileSync, rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { parsePolicy } from '../host/policy.ts';
import type { Environment } from '../program/agent-options.ts';
import { UsageError } from '../program/usage-error.ts';
import { fetchManifest, fetchProgram, UpdateError, UpdateUnderWay } from './fetch-release.ts';
import { judgeRelease, type Present } from './judge-release.ts';
import { newOf, replaceProgram, restoreProgram, tryProgram } from './replace-program.ts';
import type { UpdatesRule } from './updates-rule.ts';
import { whyNotReplaced } from './why-not-replaced.ts';

/** The program that is to be replaced: a single file, whose name in a release is `name`. */
export type Installed = Present & {
  /** `null`: it runs from source. */
  readonly path: string | null;
};

type Say = (text: string) => void;

export const updateUsage = `Usage: edgewise-agent update [--policy FILE] [--check | --back]

  Replaces this program by the newest release, if the owner's policy file says where
  releases are and who signs them; without that, never.

  --policy FILE  what the owner of this edge allows (EDGEWISE_POLICY)
  --check        only say whether there is a newer one
  --back         take the program that was replaced last again
  --help
`;

/**
 * `edgewise-agent update`. Agents that run are not touched: what they run goes on, and they are the
 * new program from their next start.
 */
export async function updateProgram(
  argv: readonly string[],
  env: Environment,
  installed: Installed,
  say: Say,
): Promise<void> {
  const { policy, check, back, help } = parseOptions(argv, env);
  if (help) return say(updateUsage);
  const { path, name, version } = installed;
  if (path === null) {
    throw new UpdateError('This program runs from source: update that with git, then npm ci.');
  }
  if (path.startsWith('/usr/bin/')) {
    throw new UpdateError(`${path} belongs to a package: update that, with apt or dnf.`);
  }
  if (back) {
    restore(path);
    return say(`${path} is the program again that it was before.\n${afterwards}`);
  }
  const rule = ruleOf(policy);
  const verdict = judgeRelease(await fetchManifest(rule.from), rule, installed);
  if (verdict.kind === 'refused') {
    throw new UpdateError(`The release at ${rule.from} is not taken: ${verdict.why}.`);
  }
  if (verdict.kind === 'newest') {
    return say(`Nothing is newer than this: the release is ${verdict.version}.\n`);
  }
  if (check) return say(`${verdict.version} is there; this is ${version}.\n`);
  const url = new URL(name, rule.from);
  try {
    await fetchProgram(url, verdict.program, newOf(path), progressOn(say));
    await tryProgram(newOf(path), verdict.version);
    replaceProgram(path);
  } catch (error) {
    if (!(error instanceof UpdateUnderWay)) rmSync(newOf(path), { force: true });
    throw whyNotReplaced(error, path);
  }
  say(`${path} is ${verdict.version} now; it was ${version}.\n${afterwards}`);
}

function restore(path: string): void {
  try {
    restoreProgram(path);
  } catch (error) {
    throw whyNotReplaced(error, path);
  }
}

const afterwards =
  'An agent that runs is it from its next start, and what it runs goes on meanwhile:\n' +
  '  systemctl restart edgewise-agent\n';

function parseOptions(argv: readonly string[], env: Environment) {
  const options = {
    policy: { type: 'string' },
    check: { type: 'boolean', default: false },
    back: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  } as const;
  try {
    const { values } = parseArgs({ args: [...argv], options });
    if (values.check && values.back) throw new Error('--check and --back are two things');
    return { ...values, policy: values.policy ?? (env.EDGEWISE_POLICY || null) };
  } catch (error) {
    throw new UsageError(`${(error as Error).message}.`);
  }
}

function ruleOf(policy: string | null): UpdatesRule {
  const off = 'This machine takes no updates: its owner has not said from where and by whom.';
  const remedy = 'Write "updates" into the policy file, and name that with --policy.';
  if (policy === null) throw new UpdateError(`${off}\n${remedy}`);
  let text: string;
  try {
    text = readFileSync(policy, 'utf8');
  } catch (error) {
    throw new UsageError(`${policy} cannot be read (${(error as { code?: string }).code}).`);
  }
  const { updates } = parsePolicy(text);
  if (updates === null) throw new UpdateError(`${off}\n${remedy}`);
  return updates;
}

/** A line for each tenth. */
function progressOn(say: Say): (part: number) => void {
  let shown = 0;
  return (part) => {
    const tenths = Math.floor(part * 10);
    if (tenths === shown) return;
    shown = tenths;
    say(`${tenths * 10} %\n`);
  };
}
