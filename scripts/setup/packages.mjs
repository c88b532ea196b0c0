/**
 * Installs the packages when they are missing or are not those of package-lock.json. Compares names
 * and versions, not file times, so that a fresh clone, a checkout or a copied folder installs
 * exactly when it must.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf, messageOf, node, root, Stop } from '../repository.mjs';

export function ensurePackages(say = console.error) {
  const missing = firstMissing();
  if (missing === null) return linkClient();
  refuseLink(missing);
  say(`Installing packages (${missing}); once, about half a minute …`);
  const npm = process.env.npm_execpath;
  const words = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
  const [command, args] = npm === undefined ? ['npm', words] : [process.execPath, [npm, ...words]];
  const result = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (result.status !== 0) {
    throw new Stop('The packages could not be installed; "npm ci" says why above.');
  }
  linkClient();
}

/**
 * `npm ci` would empty the directory behind the link, and with it the packages of another clone.
 *
 * @param {string} missing
 */
function refuseLink(missing) {
  const path = join(root, 'node_modules');
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return;
  throw new Stop(
    `The packages differ from package-lock.json (${missing}), and ${path} is a link to another ` +
      'place: installing would empty that one. Remove the link and start again.',
  );
}

/** `npx edgewise` finds the client without a look at the registry. */
function linkClient() {
  try {
    symlinkSync('../../bin/edgewise.mjs', join(root, 'node_modules', '.bin', 'edgewise'));
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return;
    throw new Stop(`node_modules cannot be written: ${messageOf(error)}`);
  }
}

/** The first difference in words, or `null` when all is there. */
function firstMissing() {
  if (!existsSync(node)) return 'none are there yet';
  const wanted = readPackages(join(root, 'package-lock.json'));
  const present = readPackages(join(root, 'node_modules', '.package-lock.json'));
  if (wanted === null || present === null) return 'none are there yet';
  for (const [path, entry] of Object.entries(wanted)) {
    // Packages of other platforms are listed, and rightly absent.
    if (path === '' || entry.optional === true || entry.devOptional === true) continue;
    if (present[path]?.version !== entry.version)
      return `${path.replace(/^node_modules\//, '')} changed`;
  }
  return null;
}

/** @typedef {{ version?: string, optional?: boolean, devOptional?: boolean }} PackageEntry */

/**
 * @param {string} path
 * @returns {Readonly<Record<string, PackageEntry>> | null}
 */
function readPackages(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages ?? null;
  } catch {
    return null;
  }
}
