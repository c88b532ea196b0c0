import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Pod, type PodContainer, podFailure } from '../../core/runs/pod.ts';
import type { LaunchEnd } from '../launcher/launcher-protocol.ts';
import { killAfterMs } from '../limits.ts';
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
import {
  type ChunkEnd,
  type ChunkName,
  type ChunkOrder,
  type Executor,
  keyOf,
} from './executor.ts';
import { chunkEndOf, endedBefore, makeLaunchedChunks, startFailed } from './launched-chunks.ts';
import { type PodMember, podProgram } from './pod-program.ts';

/**
 * Chunks as pods: several containers with one network and one directory, which end together. One
 * program of the launcher is the pod (`pod-program.ts`), so an agent that was killed finds it again
 * as it finds any chunk. Limits of the chunk are divided among its containers.
 */
export function makePod(deps: ContainerDeps): Executor {
  const { directories } = deps;
  const images = makeImages(deps);
  /** Waiting for their images. */
  const waiting = new Set<string>();
  const chunks = makeLaunchedChunks({
    prefix: 'pod/',
    launcher: deps.launcher,
    ended: deps.ended,
    judge: (name, end) => judge(end, deps.engine, endedFirst(directories.pathOf(name))),
    async leaving(name) {
      const place = directories.pathOf(name);
      // A directory that is kept for a look keeps no secret of its job.
      if (place !== null) rmSync(join(place, programName), { recursive: true, force: true });
      // Whatever became of the clients, no container is left.
      await removeContainers(deps, podLabel(name), () => false);
    },
  });

  const start = async (order: ChunkOrder): Promise<void> => {
    if (!('pod' in order.spec.run)) return;
    const { pod } = order.spec.run;
    const key = keyOf(order);
    waiting.add(key);
    const reasons = await Promise.all(pod.containers.map(({ image }) => images.provide(image)));
    if (!waiting.delete(key)) return;
    const reason = reasons.find((it) => it !== null);
    const given = reason ?? deps.ports.give(order, order.spec.ports ?? []);
    if (typeof given === 'string') {
      deps.ended(endedBefore(order, given));
      return;
    }
    const directory = directories.make(order, 'container');
    const cwd = directory === null ? null : prepare(deps, order, pod, directory);
    if (cwd === null) {
      deps.ended(endedBefore(order));
      return;
    }
    const host = { wrapper: [], env: {}, inherits: true, cwd, outputOwner: null };
    const { timeoutSeconds = null } = pod;
    chunks.start(order, { ...host, argv: ['sh', scriptName], timeoutSeconds });
  };

  return {
    name: 'pod',
    outlivesAgent: false,
    start(orders) {
      for (const order of orders) void start(order);
    },
    stop(name) {
      if (waiting.delete(keyOf(name))) deps.ended(endedBefore(name));
      else chunks.stop(name);
    },
    look: chunks.look,
    probe(order, argv, timeoutMs) {
      const [first] = 'pod' in order.spec.run ? order.spec.run.pod.containers : [];
      if (first === undefined) return Promise.resolve(false);
      return askInside(deps, memberName(order, first), argv, timeoutMs);
    },
    async recover(edges) {
      const held = await chunks.recover(edges);
      const pods = new Set(held.map(containerName));
      const isHeld = (name: string) => pods.has(name.slice(0, name.lastIndexOf('.')));
      await removeContainers(deps, ownerLabel(deps), isHeld);
      return held;
    },
    resume: chunks.resume,
    close: () => Promise.resolve(),
  };
}

type Ended = { readonly name: string; readonly code: number };

function judge(end: LaunchEnd | 'lost', engine: string, first: Ended | null): ChunkEnd {
  if (!isNatural(end) || end.code === 0) return chunkEndOf(end);
  if (first === null) {
    const fault = engineFault(end, 'sh');
    return fault === null ? chunkEndOf(end) : { kind: 'failed', failure: startFailed(fault) };
  }
  const fault = engineFault(end, engine, `${first.name} | `);
  const failure =
    fault === null ? podFailure(first.name, first.code) : startFailed(`${first.name}: ${fault}`);
  return { kind: 'failed', failure };
}

/** Which container ended first, and how; `null`: none has, or nobody could write it down. */
function endedFirst(place: string | null): Ended | null {
  if (place === null) return null;
  try {
    const text = readFileSync(join(place, programName, endedName), 'utf8');
    const [name = '', code] = text.trim().split(' ');
    return { name, code: Number(code) };
  } catch {
    return null;
  }
}

/** In the directory of the chunk, beside what is mounted, where only the agent is. */
const programName = 'pod';
const scriptName = 'run';
const endedName = 'ended';

const ownerLabel = ({ owner }: ContainerDeps): string => `edgewise.pod-owner=${owner}`;
const podLabel = (name: ChunkName): string => `edgewise.pod=${containerName(name)}`;

function memberName(pod: ChunkName, { name }: Pick<PodContainer, 'name'>): string {
  // No other part of the name has a dot in it.
  return `${containerName(pod)}.${name}`;
}

/** Writes down what runs the pod; `null`: no room for that. */
function prepare(
  deps: ContainerDeps,
  order: ChunkOrder,
  { containers }: Pod,
  directory: string,
): string | null {
  const place = join(dirname(directory), programName);
  const { stopGraceSeconds = killAfterMs / 1_000 } = order.spec;
  try {
    mkdirSync(place, { mode: 0o700 });
    const members = containers.map((container, at): PodMember => {
      const { name, image, argv = [], env: given = {} } = container;
      const member = memberName(order, container);
      const env = { ...given, EDGEWISE_CONTAINER: name };
      const environmentFile = join(place, `${name}.environment`);
      const confined = { directory, among: containers.length, environmentFile, env };
      const words = [
        // Some engines end no client before its container can be removed: one with a network
        // that others are in stays, and goes with the pod.
        ...[deps.engine, 'run', ...(at === 0 ? [] : ['--rm']), '--name', member],
        ...['--label', ownerLabel(deps), '--label', podLabel(order)],
        ...confinedOptions(deps, order, confined),
        ...networkOf(deps, order, at === 0 ? null : memberName(order, containers[0]!)),
      ];
      return { name, container: member, argv: [...words, image, ...argv] };
    });
    const script = podProgram(deps.engine, stopGraceSeconds, members);
    writeFileSync(join(place, scriptName), script, { mode: 0o600 });
    return place;
  } catch (error) {
    deps.directories.refuse(error);
    return null;
  }
}

/** One network: of the first container, which has the ports of all. */
function networkOf(deps: ContainerDeps, order: ChunkOrder, first: string | null): string[] {
  if (first !== null) return ['--network', `container:${first}`];
  return publishedOf(order.spec.ports ?? [], deps.ports.of(order));
}
