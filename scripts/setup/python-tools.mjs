/**
 * Judges that are written in Python: each in a virtual environment of its own in `dist/`, with
 * exactly the versions of its list in `scripts/setup/python/`, or the reason why there is none.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../repository.mjs';

const installMsMax = 180_000;
const versionMin = 10;
const pythons = ['python3', 'python3.14', 'python3.13', 'python3.12', 'python3.11', 'python3.10'];

/** @typedef {{ folder: string, reason: null } | { folder: null, reason: string }} PythonTool */

/**
 * The folder with the programs of a tool, made when it is not there yet, or why there is none.
 *
 * @param {string} name
 * @returns {PythonTool}
 */
export function ensurePythonTool(name, say = console.error) {
  const list = join(root, 'scripts', 'setup', 'python', `${name}.txt`);
  const hash = createHash('sha256').update(readFileSync(list)).digest('hex').slice(0, 12);
  const home = join(root, 'dist', `python-${name}-${hash}`);
  const folder = join(home, 'bin');
  if (existsSync(join(home, '.complete'))) return { folder, reason: null };
  const python = findPython();
  if (python === undefined)
    return { folder: null, reason: 'there is no Python 3.10 or newer here' };
  say(`Installing ${name} for Python …`);
  rmSync(home, { recursive: true, force: true });
  const failure =
    run(python, ['-m', 'venv', home]) ??
    run(join(folder, 'pip'), ['install', '--quiet', '--disable-pip-version-check', '-r', list]) ??
    run('touch', [join(home, '.complete.new')]);
  if (failure !== null) return { folder: null, reason: `${name} cannot be installed: ${failure}` };
  renameSync(join(home, '.complete.new'), join(home, '.complete'));
  return { folder, reason: null };
}

/** A Python of this host that is new enough, by its command. */
export function findPython() {
  return pythons.find((one) => isNewEnough(one));
}

/** @param {string} python */
function isNewEnough(python) {
  const ask = `import sys, ensurepip; sys.exit(sys.version_info < (3, ${versionMin}))`;
  return spawnSync(python, ['-c', ask], { stdio: 'ignore' }).status === 0;
}

/**
 * What went wrong in one line, or `null`.
 *
 * @param {string} program
 * @param {readonly string[]} words
 */
function run(program, words) {
  const done = spawnSync(program, words, { encoding: 'utf8', timeout: installMsMax });
  if (done.status === 0) return null;
  const said = `${done.stdout ?? ''}${done.stderr ?? ''}`.trim().split('\n').at(-1);
  return said || String(done.error?.message ?? `exit code ${done.status}`);
}
