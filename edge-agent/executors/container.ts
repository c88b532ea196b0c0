import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Run } from '../../core/model/job.ts';
import type { GivenPorts, ServicePort } from '../../core/services/service-port.ts';
import type { ChunkDirectories } from '../chunk-directory/chunk-directories.ts';
import { removeQuietly } from '../disk/data-directory.ts';
import type { RunCommand } from '../host/command.ts';
import type { Isolation } from '../host/isolation.ts';
import { killCarriers } from '../host/process-table.ts';
import { type PortBook, portEnvironment } from '../instances/port-book.ts';
import type { Launcher } from '../launcher/launcher-client.ts';
import type { LaunchEnd } from '../launcher/launcher-protocol.ts';
import { containerTasksMax, imagePullTimeoutMs } from '../limits.ts';
import {
  type ChunkEnd,
  type ChunkName,
  type ChunkOrder,
  chunkEnvironment,
  directoryEnvironment,
  type Executor,
  type ExecutorDeps,
  keyOf,
} from './executor.ts';
import { chunkEndOf, endedBefore, makeLaunchedChunks, startFailed } from './launched-chunks.ts';

/**
 * Chunks as containers, through the command line of docker or podman, which is the same for both.
 * An image that is not there is pulled once, for all chunks that wait for it. A container is
 * named after its chunk, so that one that was left behind can be recognized and removed.
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

/** In the environment of a program that asks a container whether it is ready. */
const probeMark = 'EDGEWISE_PROBE';

/** The engine itself failed, and not what runs in the container. */
const engineFailure = 125;

export function makeContainer(deps: ContainerDeps): Executor {
  const { engine, runCommand } = deps;
  const images = makeImages(deps);
  /** Files that tell the engine the environment of a container. */
  const environments = new Map<string, string>();
  /** Waiting for their image. */
  const waiting = new Set<string>();
  const chunks = makeLaunchedChunks({
    prefix: 'container/',
    launcher: deps.launcher,
    ended: deps.ended,
    judge: (_name, end) => judge(end),
    leaving(name, end) {
      // A directory that is kept for a look keeps no secret of its job.
      removeQuietly(environments.get(keyOf(name)) ?? '');
      environments.delete(keyOf(name));
      // The client is gone; its container may not be.
      if (isNatural(end)) return null;
      return runCommand([engine, 'rm', '--force', containerName(name)]).then(() => {});
    },
  });

  const judge = (end: LaunchEnd | 'lost'): ChunkEnd => {
    if (isNatural(end) && end.code === engineFailure) {
      const words = Buffer.from(end.errors?.tail ?? end.tail ?? [])
        .toString('utf8')
        .trim();
      const reason = words.split('\n').at(-1) || `${engine} failed`;
      return { kind: 'failed', failure: startFailed(reason.replace(/^\w+: /, '')) };
    }
    return chunkEndOf(end);
  };

  const start = async (order: ChunkOrder): Promise<void> => {
    if (!('container' in order.spec.run)) return;
    const { image, timeoutSeconds = null } = order.spec.run.container;
    const key = keyOf(order);
    waiting.add(key);
    const reason = await images.provide(image);
    if (!waiting.delete(key)) return;
    if (reason !== null) {
      deps.ended(endedBefore(order, reason));
      return;
    }
    const given = deps.ports.give(order, order.spec.ports ?? []);
    if (typeof given === 'string') {
      deps.ended(endedBefore(order, given));
      return;
    }
    const argv = prepare(deps, order, environments);
    if (argv === null) {
      deps.ended(endedBefore(order));
      return;
    }
    // An engine may leave a file where its client runs, as podman does of one that had no memory.
    const cwd = dirname(environments.get(key) ?? '/');
    const host = { wrapper: [], env: {}, inherits: true, cwd, outputOwner: null };
    chunks.start(order, { ...host, argv, timeoutSeconds });
  };

  return {
    name: 'container',
    outlivesAgent: false,
    start(orders) {
      for (const order of orders) void start(order);
    },
    stop(name) {
      if (waiting.delete(keyOf(name))) {
        deps.ended(endedBefore(name));
      } else {
        chunks.stop(name);
      }
    },
    look: chunks.look,
    probe: (order, argv, timeoutMs) => askInside(deps, containerName(order), argv, timeoutMs),
    async recover(edges) {
      const held = await chunks.recover(edges);
      await removeLeftovers(deps, new Set(held.map(containerName)));
      return held;
    },
    resume: chunks.resume,
    close: () => Promise.resolve(),
  };
}

function containerName({ edge, job, chunk, attempt }: ChunkName): string {
  return `edgewise-${edge}-${job}-${chunk}-${attempt}`;
}

async function askInside(
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

/** Each image is pulled once, however many chunks wait for it. */
function makeImages(deps: ContainerDeps) {
  const pulls = new Map<string, Promise<string | null>>();
  return {
    /** `null` when the image is there, else why not. */
    provide(image: string): Promise<string | null> {
      let pull = pulls.get(image);
      if (pull === undefined) {
        pull = pullImage(deps, image).then((reason) => {
          // A failure is tried again with the next chunk.
          if (reason !== null) pulls.delete(image);
          return reason;
        });
        pulls.set(image, pull);
      }
      return pull;
    },
  };
}

async function pullImage(
  { engine, runCommand }: ContainerDeps,
  image: string,
): Promise<string | null> {
  const here = await runCommand([engine, 'image', 'inspect', image]);
  if (here.code === 0) return null;
  const pulled = await runCommand([engine, 'pull', image], imagePullTimeoutMs);
  if (pulled.code === 0) return null;
  return `image ${image} cannot be pulled`;
}

function isNatural(end: LaunchEnd | 'lost'): end is LaunchEnd {
  return end !== 'lost' && end.code !== null && !end.isStopped && !end.isTimeout;
}

type ContainerRun = Extract<Run, { container: unknown }>['container'];

/** Where a container sees the directory of its chunk. */
const mountedAt = '/edgewise';

/** What starts a container, its directory and its environment being there; `null`: no room. */
function prepare(
  deps: ContainerDeps,
  order: ChunkOrder,
  environments: Map<string, string>,
): string[] | null {
  const directory = deps.directories.make(order, 'container');
  if (directory === null) return null;
  environments.set(keyOf(order), environmentFile(directory));
  try {
    return runArguments(deps, order, directory);
  } catch (error) {
    deps.directories.refuse(error);
    return null;
  }
}

function runArguments(deps: ContainerDeps, order: ChunkOrder, directory: string): string[] {
  const run = order.spec.run as { container: ContainerRun };
  const { image, argv = [], env = {} } = run.container;
  const ports = deps.ports.of(order);
  const given = portEnvironment(ports);
  const own = { ...chunkEnvironment(order), ...directoryEnvironment(mountedAt), ...given };
  const out = [deps.engine, 'run', '--rm', '--init', '--pull', 'never'];
  out.push('--name', containerName(order), '--label', `edgewise.owner=${deps.owner}`);
  out.push('--volume', `${directory}:${mountedAt}:Z`, '--workdir', mountedAt);
  out.push('--cap-drop', 'ALL', '--security-opt', 'no-new-privileges');
  out.push(...userOf(deps), ...limitsOf(order.spec.resources));
  out.push(...publishedOf(order.spec.ports ?? [], ports));
  out.push(...environmentOf(directory, { HOME: mountedAt, ...env, ...own }));
  return [...out, image, ...argv];
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
function publishedOf(ports: readonly ServicePort[], given: GivenPorts): string[] {
  if (given.size === 0) return [];
  const published = ports.flatMap(({ name, target, protocol }) => {
    const port = given.get(name);
    return port === undefined ? [] : ['--publish', `${port}:${target ?? port}/${protocol}`];
  });
  return ['--sysctl', 'net.ipv4.ip_unprivileged_port_start=0', ...published];
}

function limitsOf(resources: ChunkOrder['spec']['resources']): string[] {
  const { cores, memoryMb, gpus, diskMb, processes = containerTasksMax } = resources;
  const out = ['--pids-limit', String(Math.ceil(processes))];
  if (cores !== undefined) out.push('--cpus', String(cores));
  if (memoryMb !== undefined) out.push('--memory', `${memoryMb}m`);
  if (gpus !== undefined && gpus > 0) out.push('--gpus', String(gpus));
  if (diskMb !== undefined) {
    const bytes = Math.ceil(diskMb * 1024 * 1024);
    out.push('--ulimit', `fsize=${bytes}:${bytes}`);
  }
  return out;
}

/** Beside what is mounted, where only the agent is. */
function environmentFile(mounted: string): string {
  return join(dirname(mounted), 'environment');
}

/** Engines read one variable a line; one with a line break goes the other way. */
function environmentOf(mounted: string, env: Readonly<Record<string, string>>): string[] {
  const entries = Object.entries(env);
  const isPlain = ([, value]: [string, string]): boolean => !/[\r\n]/.test(value);
  const file = environmentFile(mounted);
  const lines = entries.filter(isPlain).map(([key, value]) => `${key}=${value}\n`);
  writeFileSync(file, lines.join(''), { mode: 0o600 });
  const others = entries.filter((entry) => !isPlain(entry));
  return ['--env-file', file, ...others.flatMap(([key, value]) => ['--env', `${key}=${value}`])];
}

/** Containers whose client died with the launcher: nobody waits for them any more. */
async function removeLeftovers(
  { engine, runCommand, owner }: ContainerDeps,
  held: ReadonlySet<string>,
): Promise<void> {
  const filter = `label=edgewise.owner=${owner}`;
  const listed = await runCommand([
    engine,
    'ps',
    '--all',
    '--filter',
    filter,
    '--format',
    '{{.Names}}',
  ]);
  if (listed.code !== 0) return;
  const names = listed.output.split(/\s+/).filter((name) => name !== '' && !held.has(name));
  if (names.length > 0) await runCommand([engine, 'rm', '--force', ...names]);
}
