import type { Run } from '../../core/model/job.ts';
import type { RunCommand } from '../host/command.ts';
import type { Launcher } from '../launcher/launcher-client.ts';
import type { LaunchEnd } from '../launcher/launcher-protocol.ts';
import { imagePullTimeoutMs } from '../limits.ts';
import {
  type ChunkEnd,
  type ChunkName,
  type ChunkOrder,
  chunkEnvironment,
  type Executor,
  type ExecutorDeps,
  keyOf,
} from './executor.ts';
import { chunkEndOf, makeLaunchedChunks, startFailed } from './launched-chunks.ts';

/**
 * Chunks as containers, through the command line of docker or podman, which is the same for both.
 * An image that is not there is pulled once, for all chunks that wait for it. A container is
 * named after its chunk, so that one that was left behind can be told and removed.
 */
export type ContainerDeps = ExecutorDeps & {
  readonly launcher: Launcher;
  readonly runCommand: RunCommand;
  /** `docker` or `podman`. */
  readonly engine: string;
  /** Marks the containers of this data directory. */
  readonly owner: string;
};

/** The engine itself failed, and not what runs in the container. */
const engineFailure = 125;

export function makeContainer(deps: ContainerDeps): Executor {
  const { engine, runCommand, owner } = deps;
  const images = makeImages(deps);
  /** Waiting for their image. */
  const waiting = new Set<string>();
  const chunks = makeLaunchedChunks({
    prefix: 'container/',
    launcher: deps.launcher,
    ended: deps.ended,
    judge: (name, end) => judge(name, end),
  });

  /** The client is gone; its container may not be. */
  const judge = (name: ChunkName, end: LaunchEnd | 'lost'): ChunkEnd => {
    const isNatural = end !== 'lost' && end.code !== null && !end.isStopped && !end.isTimeout;
    if (!isNatural) void runCommand([engine, 'rm', '--force', containerName(name)]);
    if (isNatural && end.code === engineFailure) {
      const words = Buffer.from(end.tail ?? '', 'base64')
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
      const end: ChunkEnd = { kind: 'failed', failure: startFailed(reason) };
      deps.ended({ name: order, end, output: null, durationMs: null });
      return;
    }
    const argv = runArguments(engine, owner, order);
    chunks.start(order, { argv, env: {}, cwd: null, timeoutSeconds });
  };

  return {
    name: 'container',
    outlivesAgent: false,
    start(orders) {
      for (const order of orders) void start(order);
    },
    stop(name) {
      if (waiting.delete(keyOf(name))) {
        deps.ended({ name, end: { kind: 'stopped' }, output: null, durationMs: null });
      } else {
        chunks.stop(name);
      }
    },
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

type ContainerRun = Extract<Run, { container: unknown }>['container'];

function runArguments(engine: string, owner: string, order: ChunkOrder): string[] {
  const run = order.spec.run as { container: ContainerRun };
  const { image, argv = [], env = {} } = run.container;
  const { cores, memoryMb, gpus } = order.spec.resources;
  const out = [engine, 'run', '--rm', '--init', '--pull', 'never'];
  out.push('--name', containerName(order), '--label', `edgewise.owner=${owner}`);
  if (cores !== undefined) out.push('--cpus', String(cores));
  if (memoryMb !== undefined) out.push('--memory', `${memoryMb}m`);
  if (gpus !== undefined && gpus > 0) out.push('--gpus', String(gpus));
  for (const [key, value] of Object.entries({ ...env, ...chunkEnvironment(order) })) {
    out.push('--env', `${key}=${value}`);
  }
  return [...out, image, ...argv];
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
