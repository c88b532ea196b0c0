import { resolve } from 'node:path';
import type { Run } from '../../core/model/job.ts';
import type { ChunkDirectories } from '../chunk-directory/chunk-directories.ts';
import { makeRunCommand } from '../host/command.ts';
import type { Confinement } from '../host/confinement.ts';
import { type PortBook, portEnvironment } from '../instances/port-book.ts';
import type { Launcher } from '../launcher/launcher-client.ts';
import {
  type ChunkOrder,
  chunkEnvironment,
  directoryEnvironment,
  type Executor,
  type ExecutorDeps,
} from './executor.ts';
import { chunkEndOf, endedBefore, makeLaunchedChunks } from './launched-chunks.ts';

/**
 * Chunks as processes of this host: the argv as it is given, never through a shell unless it names
 * one. The launcher starts them, so they outlive a killed agent, which finds them again by name.
 *
 * Each runs in a directory of its own, as the user of chunks where there is one, and sees of its
 * agent's environment only how this host finds programs, speaks and counts hours.
 */
export type ProcessDeps = ExecutorDeps & {
  readonly launcher: Launcher;
  readonly directories: ChunkDirectories;
  readonly confinement: Confinement;
  readonly ports: PortBook;
};

export function makeProcess(deps: ProcessDeps): Executor {
  const { confinement, directories, ports } = deps;
  const { isolation } = confinement;
  const chunks = makeLaunchedChunks({
    prefix: 'process/',
    launcher: deps.launcher,
    ended: deps.ended,
    judge: (_name, end) => chunkEndOf(end),
  });
  const ofHost = hostEnvironment(process.env, confinement);

  /** What it sees, and where it is. */
  const placeOf = (order: ChunkOrder, { env, cwd = null }: ProcessRun, directory: string) => {
    const own = { ...chunkEnvironment(order), ...directoryEnvironment(directory) };
    const given = portEnvironment(ports.of(order));
    return {
      env: { ...ofHost, HOME: directory, ...env, ...own, ...given },
      cwd: resolve(directory, cwd ?? '.'),
    };
  };

  const start = (order: ChunkOrder): void => {
    if (!('process' in order.spec.run)) return;
    const { argv, timeoutSeconds = null } = order.spec.run.process;
    const given = ports.give(order, order.spec.ports ?? []);
    if (typeof given === 'string') {
      deps.ended(endedBefore(order, given));
      return;
    }
    const directory = directories.make(order, 'chunk');
    if (directory === null) {
      deps.ended(endedBefore(order));
      return;
    }
    chunks.start(order, {
      argv,
      wrapper: confinement.wrapperOf(order.spec.resources),
      ...placeOf(order, order.spec.run.process, directory),
      inherits: false,
      outputOwner: isolation.kind === 'user' ? { uid: isolation.uid, gid: isolation.gid } : null,
      timeoutSeconds,
    });
  };

  return {
    name: 'process',
    outlivesAgent: false,
    start: (orders) => orders.forEach(start),
    stop: chunks.stop,
    look: chunks.look,
    async probe(order, argv, timeoutMs) {
      const directory = directories.pathOf(order);
      if (directory === null || !('process' in order.spec.run)) return false;
      const wrapper = confinement.wrapperOf(order.spec.resources);
      const place = placeOf(order, order.spec.run.process, directory);
      const run = makeRunCommand(deps.launcher, wrapper, place);
      return (await run(argv, timeoutMs)).code === 0;
    },
    recover: chunks.recover,
    resume: chunks.resume,
    close: () => Promise.resolve(),
  };
}

type ProcessRun = Extract<Run, { process: unknown }>['process'];

const ofHostNames = /^(PATH|LANG|LC_.*|TZ)$/;

function hostEnvironment(
  env: NodeJS.ProcessEnv,
  { isolation }: Confinement,
): Record<string, string> {
  const out: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && ofHostNames.test(name)) out[name] = value;
  }
  const user = isolation.kind === 'user' ? isolation.user : env.USER;
  return user === undefined ? out : { ...out, USER: user, LOGNAME: user };
}
