import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import type { GivenPorts, ServicePort } from '../../core/services/service-port.ts';
import type { ChunkDirectories } from '../chunk-directory/chunk-directories.ts';
import type { RunCommand } from '../host/command.ts';
import type { Isolation } from '../host/isolation.ts';
import { killCarriers } from '../host/process-table.ts';
import { type PortBook, portEnvironment } from '../instances/port-book.ts';
import type { Launcher } from '../launcher/launcher-client.ts';
import type { LaunchEnd } from '../launcher/launcher-protocol.ts';
import { containerTasksMax } from '../limits.ts';
import {
  type ChunkName,
  type ChunkOrder,
  chunkEnvironment,
  directoryEnvironment,
  type ExecutorDeps,
} from './executor.ts';

/**
 * The words with which docker and podman start a container, the same for both, and how what they
 * answer is read.
 *
 * A container sees its chunk's directory and nothing else of the host, has no capability and
 * cannot gain one. Its environment travels in a file: a command line is for everybody to read.
 */
export type ContainerDeps = ExecutorDeps & {
  readonly launcher: Launcher;
  readonly directories: ChunkDirectories;
  readonly isolation: Isolation;
  readonly runCommand: RunCommand;
  /** `docker` or `podman`. */
  readonly engine: string;
  /** Marks the containers of this data directory. */
  readonly owner: string;
  readonly ports: PortBook;
};

/** Where a container sees the directory of its chunk. */
const mountedAt = '/edgewise';

/** In the environment of a program that asks a container whether it is ready. */
const probeMark = 'EDGEWISE_PROBE';

/** The engine itself failed, and not what runs in the container. */
const engineFailure = 125;

/** A container is named after its chunk, so that one that was left behind is recognized. */
export function containerName({ edge, job, chunk, attempt }: ChunkName): string {
  return `edgewise-${edge}-${job}-${chunk}-${attempt}`;
}

export type Confined = {
  /** On the host, of the chunk. */
  readonly directory: string;
  /** How many containers are the chunk: each has its part of what the chunk may use. */
  readonly among: number;
  /** Where its environment is written down. */
  readonly environmentFile: string;
  readonly env: Readonly<Record<string, string>>;
};

/** What every container is started with. */
export function confinedOptions(
  deps: ContainerDeps,
  order: ChunkOrder,
  { directory, among, environmentFile, env }: Confined,
): string[] {
  const given = portEnvironment(deps.ports.of(order));
  const own = { ...chunkEnvironment(order), ...directoryEnvironment(mountedAt), ...given };
  // What several see carries no label of one of them.
  const label = among === 1 ? 'Z' : 'z';
  return [
    ...['--init', '--pull', 'never'],
    ...['--volume', `${directory}:${mountedAt}:${label}`, '--workdir', mountedAt],
    ...['--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'],
    ...userOf(deps),
    ...limitsOf(order.spec.resources, among),
    ...environmentOf(environmentFile, { HOME: mountedAt, ...env, ...own }),
  ];
}

/**
 * Never more on this host than the agent, or than the user of chunks. Where the engine itself
 * belongs to a common user, who is root inside is that user outside.
 */
function userOf({ engine, isolation }: ContainerDeps): string[] {
  const own = process.getuid?.() ?? 0;
  if (own !== 0 && engine === 'podman') return [];
  if (isolation.kind === 'user') return ['--user', `${isolation.uid}:${isolation.gid}`];
  return own === 0 ? [] : ['--user', `${own}:${process.getgid?.() ?? own}`];
}

/** Without any capability it may still listen where it says, in a network of its own. */
export function publishedOf(ports: readonly ServicePort[], given: GivenPorts): string[] {
  if (given.size === 0) return [];
  const published = ports.flatMap(({ name, target, protocol }) => {
    const port = given.get(name);
    return port === undefined ? [] : ['--publish', `${port}:${target ?? port}/${protocol}`];
  });
  return ['--sysctl', 'net.ipv4.ip_unprivileged_port_start=0', ...published];
}

/** Together never more than the chunk; a device and the size of a file are not divided. */
function limitsOf(resources: ChunkOrder['spec']['resources'], among: number): string[] {
  const { cores, memoryMb, gpus, diskMb, processes = containerTasksMax } = resources;
  const out = ['--pids-limit', String(Math.ceil(processes / among))];
  if (cores !== undefined) out.push('--cpus', String(cores / among));
  if (memoryMb !== undefined) {
    out.push(
      '--memory',
      among === 1 ? `${memoryMb}m` : `${Math.floor((memoryMb * kbPerMb) / among)}k`,
    );
  }
  if (gpus !== undefined && gpus > 0) out.push('--gpus', String(gpus));
  if (diskMb !== undefined) {
    const bytes = Math.ceil(diskMb * 1024 * 1024);
    out.push('--ulimit', `fsize=${bytes}:${bytes}`);
  }
  return out;
}

const kbPerMb = 1024;

/** Engines read one variable a line; one with a line break goes the other way. */
function environmentOf(file: string, env: Readonly<Record<string, string>>): string[] {
  const entries = Object.entries(env);
  const isPlain = ([, value]: [string, string]): boolean => !/[\r\n]/.test(value);
  const lines = entries.filter(isPlain).map(([key, value]) => `${key}=${value}\n`);
  writeFileSync(file, lines.join(''), { mode: 0o600 });
  const others = entries.filter((entry) => !isPlain(entry));
  return ['--env-file', file, ...others.flatMap(([key, value]) => ['--env', `${key}=${value}`])];
}

/** Runs a program in a container; true: it ended well and in time. */
export async function askInside(
  { engine, runCommand }: ContainerDeps,
  container: string,
  argv: readonly string[],
  timeoutMs: number,
): Promise<boolean> {
  const asked = `${container}/${randomUUID()}`;
  const words = [engine, 'exec', '--env', `${probeMark}=${asked}`, container, ...argv];
  const { code } = await runCommand(words, timeoutMs);
  // The client was killed for its time: the engine lets what it asked for go on.
  if (code === null) killCarriers(probeMark, (mark) => mark === asked);
  return code === 0;
}

/** It ended by itself, and so has what it was the client of. */
export function isNatural(end: LaunchEnd | 'lost'): end is LaunchEnd {
  return end !== 'lost' && end.code !== null && !end.isStopped && !end.isTimeout;
}

/**
 * Why the engine started nothing, in its last words; `null`: it did. `begin`: of several engines it
 * is this one, and its lines begin so.
 */
export function engineFault(end: LaunchEnd | 'lost', engine: string, begin = ''): string | null {
  if (!isNatural(end) || end.code !== engineFailure) return null;
  const words = Buffer.from(end.errors?.tail ?? end.tail ?? [])
    .toString('utf8')
    .trim();
  const own = words.split('\n').filter((line) => line.startsWith(begin));
  const said = own
    .at(-1)
    ?.slice(begin.length)
    .replace(/^\w+: /, '');
  return said || `${engine} failed`;
}

/** Containers with a label, unless somebody still waits for them. */
export async function removeContainers(
  { engine, runCommand }: ContainerDeps,
  label: string,
  isHeld: (name: string) => boolean,
): Promise<void> {
  const asked = ['ps', '--all', '--filter', `label=${label}`, '--format', '{{.Names}}'];
  const listed = await runCommand([engine, ...asked]);
  if (listed.code !== 0) return;
  const names = listed.output.split(/\s+/).filter((name) => name !== '' && !isHeld(name));
  // Some engines would ask each first, and wait.
  await Promise.all(names.map((name) => runCommand([engine, 'kill', name])));
  const remove = async (all: readonly string[]): Promise<string[]> => {
    const left = [];
    for (const name of all) {
      if ((await runCommand([engine, 'rm', '--force', name])).code !== 0) left.push(name);
    }
    return left;
  };
  // One in whose network others are goes after these.
  await remove(await remove(names));
}
