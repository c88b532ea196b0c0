/**
 * What the long tests need of the host beyond Node: a browser, Slurm, a container engine with
 * networks, an emulator for the other architecture, a second shell, judges of packages. Installed
 * from Debian when this user may; otherwise the reason is named, and what needs it is skipped by
 * name.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const updateMsMax = 120_000;
const installMsMax = 300_000;

/** What containers are run with, and what is in the one image of the tests. */
export const containerPackages = [
  { name: 'podman', file: '/usr/bin/podman' },
  { name: 'runc', file: '/usr/sbin/runc' },
  { name: 'catatonit', file: '/usr/bin/catatonit' },
  { name: 'busybox-static', file: '/bin/busybox' },
];

export const hostPackages = [
  { name: 'chromium', file: '/usr/bin/chromium' },
  { name: 'slurm-wlm', file: '/usr/sbin/slurmctld' },
  { name: 'munge', file: '/usr/sbin/munged' },
  ...containerPackages,
  { name: 'netavark', file: '/usr/lib/podman/netavark' },
  { name: 'iptables', file: '/usr/sbin/iptables' },
  { name: 'qemu-user-static', file: '/usr/bin/qemu-aarch64-static' },
  { name: 'libc6-arm64-cross', file: '/usr/aarch64-linux-gnu/lib/ld-linux-aarch64.so.1' },
  { name: 'python3-venv', file: '/usr/share/doc/python3-venv' },
  { name: 'zsh', file: '/usr/bin/zsh' },
  { name: 'debootstrap', file: '/usr/sbin/debootstrap' },
  { name: 'lintian', file: '/usr/bin/lintian' },
  { name: 'rpm', file: '/usr/bin/rpm' },
];

/** Returns what is still missing: name → reason. */
export function ensureHostPackages(say = console.log) {
  const missing = hostPackages.filter(({ file }) => !existsSync(file));
  if (missing.length === 0) return new Map();
  const refusal = whyNot();
  if (refusal !== null) return new Map(missing.map(({ name }) => [name, refusal]));
  // An installation that was broken off would refuse every other one.
  spawnSync('dpkg', ['--configure', '-a'], { timeout: installMsMax });
  say(`Installing from Debian: ${missing.map(({ name }) => name).join(', ')} …`);
  apt(['update', '-qq'], updateMsMax);
  const reasons = new Map();
  // One by one, so that a package this release lacks does not cost the others.
  for (const { name, file } of missing) {
    const result = apt(['install', '-y', '-qq', '--no-install-recommends', name], installMsMax);
    if (!existsSync(file)) reasons.set(name, `apt-get could not install it (${result})`);
  }
  return reasons;
}

function whyNot() {
  if (!existsSync('/usr/bin/apt-get')) return 'it is not installed, and this is no Debian';
  if (process.getuid?.() !== 0) return 'it is not installed, and only root may install it';
  if (process.env.EDGEWISE_NO_INSTALL) return 'it is not installed, and EDGEWISE_NO_INSTALL is set';
  return null;
}

/** @param {readonly string[]} words @param {number} timeout */
function apt(words, timeout) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const result = spawnSync('apt-get', words, { env, timeout, encoding: 'utf8' });
  const said = result.stderr?.trim().split('\n').at(-1);
  return said || `exit code ${result.status}`;
}
