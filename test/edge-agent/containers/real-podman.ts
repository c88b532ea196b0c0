import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from '../../../edge-agent/host/host-inspection.ts';

/**
 * The podman of this host with an image of one program, where it has podman, runc, catatonit and a
 * static busybox, and may use them; everywhere else the reason why not.
 */
export const image = `edgewise-test-${process.pid}:1`;
export const pathBefore = process.env.PATH!;
/** Without the stand-ins that every test finds before the host's own. */
const hostPath = pathBefore
  .split(':')
  .filter((one) => !one.startsWith(join(tmpdir(), '..', 'bin')) || tmpdir() === '/tmp')
  .join(':');
export const podman = findProgram('podman', hostPath);

/** `null`: containers run here. */
export function providePodman(): string | null {
  const missing = ['podman', 'runc', 'busybox'].find((one) => findProgram(one, hostPath) === null);
  const reason = missing === undefined ? importImage() : `${missing} is not on this host`;
  if (reason !== null) console.log(`skipped: ${reason}`);
  return reason;
}

export function removeImage(): void {
  if (podman !== null) spawnSync(podman, ['rmi', '--force', image]);
}

/** A file system of one program. */
function importImage(): string | null {
  const root = mkdtempSync(join(tmpdir(), 'edgewise-image-'));
  try {
    for (const name of ['bin', 'tmp', 'etc']) mkdirSync(join(root, name));
    cpSync(findProgram('busybox', hostPath)!, join(root, 'bin', 'busybox'));
    for (const applet of [
      'cat',
      'env',
      'grep',
      'head',
      'httpd',
      'id',
      'ls',
      'mkdir',
      'sh',
      'sleep',
      'tail',
      'tee',
      'test',
      'touch',
      'tr',
    ]) {
      symlinkSync('busybox', join(root, 'bin', applet));
    }

    const script = 'chmod -R go+rX "$1"; tar -C "$1" -c . | "$2" import - "$3"';
    const made = spawnSync('sh', ['-c', script, 'sh', root, podman!, image], { encoding: 'utf8' });
    if (made.status !== 0) return `podman takes no image here: ${made.stderr.trim()}`;
    const words = ['run', '--rm', ...alone, ...sandboxed, '--init', image, 'sh', '-c', 'exit 0'];
    const ran = spawnSync(podman!, ['--runtime', 'runc', ...words], { encoding: 'utf8' });
    return ran.status === 0 ? null : `podman runs nothing here: ${ran.stderr.trim()}`;
  } finally {
    rmSync(root, { recursive: true });
  }
}

/** A host may have no way to give a container a network. */
export const alone = ['--network', 'none'];
export const sandboxed = ['--ulimit', 'nofile=1024:1024', '--ulimit', 'nproc=200:200'];

/** As the host's own, with what only this place needs. */
export function withPodman(bin: string, network = alone): string {
  mkdirSync(bin, { recursive: true });
  const script = [
    '#!/bin/sh',
    `[ "$1" = run ] || exec '${podman}' --runtime runc "$@"`,
    `shift; network='${network.join(' ')}'`,
    // Who joins the network of another has none of its own.
    'case "$*" in *"--network container:"*) network= ;; esac',
    `exec '${podman}' --runtime runc run $network ${sandboxed.join(' ')} "$@"`,
  ];
  writeFileSync(join(bin, 'podman'), script.join('\n'), { mode: 0o755 });
  writeFileSync(join(bin, 'docker'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  return bin;
}

/** Those that run, of jobs whose names begin so: tests of other files have others. */
export function containers(job = 'job'): string[] {
  const listed = spawnSync(podman!, ['ps', '--format', '{{.Names}}'], { encoding: 'utf8' });
  return listed.stdout.split('\n').filter((name) => name.startsWith(`edgewise-edge-1-${job}-`));
}
