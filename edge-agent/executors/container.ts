import { dirname, join } from 'node:path';
import type { Run } from '../../core/model/job.ts';
import { removeQuietly } from '../disk/data-directory.ts';
import type { LaunchEnd } from '../launcher/launcher-protocol.ts';
import { makeImages } from './container-images.ts';
import {
  askInside,
  type ContainerDeps,
  confinedOptions,
  containerName,
  engineFault,
  isNatural,
  publishedOf,
  removeContainers,
} from './container-options.ts';
import { type ChunkEnd, type ChunkOrder, type Executor, keyOf } from './executor.ts';
import { chunkEndOf, endedBefore, makeLaunchedChunks, startFailed } from './launched-chunks.ts';

/**
 * Chunks as containers, through the command line of docker or podman. An image that is not there
 * is pulled once, for all chunks that wait for it. A container that nobody waits for any more is
 * removed at the start.
 */
export function makeContainer(deps: ContainerDeps): Executor {
  const { engine, runCommand } = deps;
  const images = makeImages(deps);
  /** Waiting for their image. */
  const waiting = new Set<string>();
  const chunks = makeLaunchedChunks({
    prefix: 'container/',
    launcher: deps.launcher,
    ended: deps.ended,
    judge: (_name, end) => judge(end, engine),
    leaving(name, end) {
      // A directory that is kept for a look keeps no secret of its job.
      const place = deps.directories.pathOf(name);
      if (place !== null) removeQuietly(join(place, environmentName));
      // The client is gone; its container may not be.
      if (isNatural(end)) return null;
      return runCommand([engine, 'rm', '--force', containerName(name)]).then(() => {});
    },
  });

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
    const directory = deps.directories.make(order, 'container');
    const argv = directory === null ? null : prepare(deps, order, directory);
    if (directory === null || argv === null) {
      deps.ended(endedBefore(order));
      return;
    }
    // An engine may leave a file where its client runs, as podman does of one that had no memory.
    const cwd = dirname(directory);
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
      const names = new Set(held.map(containerName));
      await removeContainers(deps, ownerLabel(deps), (name) => names.has(name));
      return held;
    },
    resume: chunks.resume,
    close: () => Promise.resolve(),
  };
}

function judge(end: LaunchEnd | 'lost', engine: string): ChunkEnd {
  const fault = engineFault(end, engine);
  if (fault === null) return chunkEndOf(end);
  return { kind: 'failed', failure: startFailed(fault) };
}

const ownerLabel = ({ owner }: ContainerDeps): string => `edgewise.owner=${owner}`;

/** Beside what is mounted, where only the agent is. */
const environmentName = 'environment';

type ContainerRun = Extract<Run, { container: unknown }>;

/** What starts a container, its environment being written down; `null`: no room for that. */
function prepare(deps: ContainerDeps, order: ChunkOrder, directory: string): string[] | null {
  const { image, argv = [], env = {} } = (order.spec.run as ContainerRun).container;
  const environmentFile = join(dirname(directory), environmentName);
  try {
    return [
      ...[deps.engine, 'run', '--rm', '--name', containerName(order), '--label', ownerLabel(deps)],
      ...confinedOptions(deps, order, { directory, among: 1, environmentFile, env }),
      ...publishedOf(order.spec.ports ?? [], deps.ports.of(order)),
      ...[image, ...argv],
    ];
  } catch (error) {
    deps.directories.refuse(error);
    return null;
  }
}
