/**
 * A small Debian in a directory, as a machine is on its first day: made once, in `dist/`, and
 * copied by those who change it. Or the reason why there is none.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../repository.mjs';

const release = 'bookworm';
const mirror = 'http://deb.debian.org/debian';
const makeMsMax = 400_000;

/** @typedef {{ folder: string, reason: null } | { folder: null, reason: string }} DebianRoot */

/** @returns {DebianRoot} */
export function ensureDebianRoot(say = console.error) {
  const folder = join(root, 'dist', `debian-${release}`);
  if (existsSync(folder)) return { folder, reason: null };
  if (process.getuid?.() !== 0) return { folder: null, reason: 'only root can make a Debian root' };
  if (!existsSync('/usr/sbin/debootstrap')) {
    return { folder: null, reason: 'debootstrap is not installed' };
  }
  say(`Making a Debian root (${release}) …`);
  const fresh = `${folder}.new`;
  rmSync(fresh, { recursive: true, force: true });
  const words = ['--variant=minbase', '--include=ca-certificates', release, fresh, mirror];
  const done = spawnSync('debootstrap', words, { encoding: 'utf8', timeout: makeMsMax });
  if (done.status !== 0) {
    rmSync(fresh, { recursive: true, force: true });
    const said = `${done.stdout}${done.stderr}`.trim().split('\n').at(-1);
    return { folder: null, reason: `debootstrap failed: ${said || done.error?.message}` };
  }
  renameSync(fresh, folder);
  return { folder, reason: null };
}
