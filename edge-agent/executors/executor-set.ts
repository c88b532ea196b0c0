import type { ExecutorName } from '../../core/model/job.ts';
import type { ChunkDirectories } from '../chunk-directory/chunk-directories.ts';
import type { Clock } from '../host/clock.ts';
import { makeRunCommand } from '../host/command.ts';
import type { Confinement } from '../host/confinement.ts';
import type { AgentExecutorName, Host } from '../host/host-inspection.ts';
import type { PortBook } from '../instances/port-book.ts';
import type { Launcher } from '../launcher/launcher-client.ts';
import { type ClusterDeps, makeCluster } from './cluster.ts';
import { makeContainer } from './container.ts';
import type { EndedChunk, Executor } from './executor.ts';
import type { NoteBook } from './executor-notes.ts';
import { makeFlux } from './flux.ts';
import { makePod } from './pod.ts';
import { makeProcess } from './process.ts';
import { makeSimulate } from './simulate.ts';
import { makeSlurm } from './slurm.ts';

/** One executor for each way of running chunks that this host has. */
export function makeExecutors(deps: {
  readonly host: Host;
  readonly launcher: Launcher;
  readonly notes: NoteBook;
  readonly clock: Clock;
  readonly directories: ChunkDirectories;
  readonly confinement: Confinement;
  readonly clusterDirectory: string;
  readonly drawPower: boolean;
  readonly ports: PortBook;
  readonly ended: (chunk: EndedChunk) => void;
  readonly log: (line: string) => void;
}): ReadonlyMap<ExecutorName, Executor> {
  const { host, launcher, clock, ended, log, clusterDirectory, directories, confinement } = deps;
  const { ports } = deps;
  const { isolation } = confinement;
  const runCommand = makeRunCommand(launcher);
  // What a cluster runs belongs to whoever submits it.
  const asChunkUser = makeRunCommand(launcher, isolation.kind === 'user' ? isolation.wrapper : []);
  const executors = new Map<ExecutorName, Executor>();
  for (const name of host.executors.keys()) {
    const base = { ended, notes: deps.notes.of(name), clock, log, directories };
    executors.set(name, make(name, base));
  }
  return executors;

  function make(name: AgentExecutorName, base: ClusterDeps): Executor {
    switch (name) {
      case 'simulate':
        return makeSimulate(base, { drawPower: deps.drawPower });
      case 'process':
        return makeProcess({ ...base, launcher, confinement, ports });
      case 'container':
      case 'pod': {
        const engine = host.containerEngine ?? 'docker';
        const { owner } = launcher;
        const own = { launcher, runCommand, engine, owner, isolation, ports };
        const engineDeps = { ...base, ...own };
        return name === 'pod' ? makePod(engineDeps) : makeContainer(engineDeps);
      }
      case 'slurm':
        return makeCluster(base, makeSlurm(asChunkUser, clusterDirectory));
      case 'flux':
        return makeCluster(base, makeFlux(asChunkUser, clusterDirectory));
    }
  }
}
