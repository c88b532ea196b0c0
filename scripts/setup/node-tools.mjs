/**
 * Judges from npm that nothing of ours is built with: exactly the versions of a lock file of their
 * own, installed in `dist/`, so that `npm ci` brings none of them; or why there are none.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, toolEnvironment } from '../repository.mjs';

const installMsMax = 180_000;

/** @typedef {{ home: string, reason: null } | { home: null, reason: string }} NodeTools */

/**
 * The folder with their `node_modules`, made when it is not there yet, or why there is none.
 *
 * @param {string} name A folder of `scripts/` with a `package.json` and its lock.
 * @returns {NodeTools}
 */
export function ensureNodeTools(name, say = console.error) {
  const source = join(root, 'scripts', name);
  const lock = readFileSync(join(source, 'package-lock.json'));
  const hash = createHash('sha256').update(lock).digest('hex').slice(0, 12);
  const home = join(root, 'dist', `node-${name}-${hash}`);
  const complete = join(home, '.complete');
  if (existsSync(complete)) return { home, reason: null };
  say(`Installing the programs of scripts/${name} …`);
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home, { recursive: true });
  for (const file of ['package.json', 'package-lock.json']) {
    copyFileSync(join(source, file), join(home, file));
  }
  const words = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const done = spawnSync('npm', words, {
    cwd: home,
    env: toolEnvironment(),
    encoding: 'utf8',
    timeout: installMsMax,
  });
  if (done.status !== 0) {
    const said = `${done.stdout ?? ''}${done.stderr ?? ''}`.trim().split('\n')[0];
    return { home: null, reason: `npm cannot install them: ${said || done.error?.message}` };
  }
  writeFileSync(complete, '');
  return { home, reason: null };
}
